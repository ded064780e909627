// The same work with hyper's pooling client, on tokio's runtime of one thread. Options and output are those of the
// Swift clients. hyper has no limit on its connections: as many are open as there are requests in flight.
mod measuring;
mod order;

use futures_util::stream::{self, FuturesUnordered, StreamExt};
use hyper::body::{Bytes, HttpBody};
use hyper::client::HttpConnector;
use hyper::{Body, Client, Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use measuring::{processor_time, status};
use order::{Order, Work};
use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Write};
use std::time::Instant;

type Failure = Box<dyn Error + Send + Sync>;
type Connector = HttpsConnector<HttpConnector>;

/// The size of the pieces in which the file of an upload is read.
const PIECE: usize = 1 << 20;

/// Returns a client that trusts the order's authority, and uses HTTP/2 where the server offers it.
fn make_client(order: &Order) -> Result<Client<Connector>, Failure> {
    let mut authorities = rustls::RootCertStore::empty();
    if let Some(path) = &order.authority {
        let text = std::fs::read(path)?;
        for certificate in rustls_pemfile::certs(&mut text.as_slice())? {
            authorities.add(&rustls::Certificate(certificate))?;
        }
    }
    let tls = rustls::ClientConfig::builder()
        .with_safe_defaults()
        .with_root_certificates(authorities)
        .with_no_client_auth();
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    // As in libcurl.
    http.set_nodelay(true);
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .enable_http2()
        .wrap_connector(http);
    Ok(Client::builder().build(connector))
}

/// Returns the request; the bytes of an upload from memory are shared by all requests.
fn make_request(order: &Order, bytes: &Bytes) -> Result<Request<Body>, Failure> {
    let request = Request::builder().uri(order.url.as_str());
    let body = match order.work {
        Work::Upload => {
            let mut file = File::open(order.required_file()?)?;
            Body::wrap_stream(stream::iter(std::iter::from_fn(move || read_piece(&mut file).transpose())))
        }
        Work::UploadData => Body::from(bytes.clone()),
        _ => return Ok(request.body(Body::empty())?),
    };
    Ok(request.method("PUT").header("Content-Length", order.bytes).body(body)?)
}

fn read_piece(file: &mut File) -> io::Result<Option<Bytes>> {
    let mut piece = vec![0; PIECE];
    let length = file.read(&mut piece)?;
    piece.truncate(length);
    Ok(if length > 0 { Some(Bytes::from(piece)) } else { None })
}

/// Performs one request, and checks its response.
async fn perform(client: &Client<Connector>, order: &Order, bytes: &Bytes) -> Result<(), Failure> {
    let response = client.request(make_request(order, bytes)?).await?;
    let status = response.status();
    let mut body = response.into_body();
    let mut file = match order.work {
        Work::Download => Some(File::create(order.required_file()?)?),
        _ => None,
    };
    let collects = matches!(order.work, Work::Requests | Work::Upload | Work::UploadData);
    let mut collected = Vec::new();
    let mut received = 0;
    while let Some(piece) = body.data().await {
        let piece = piece?;
        received += piece.len();
        if let Some(file) = &mut file {
            file.write_all(&piece)?;
        } else if collects {
            collected.extend_from_slice(&piece);
        }
    }
    let size = match order.work {
        // The server responds with the size of the upload.
        Work::Upload | Work::UploadData => String::from_utf8_lossy(&collected).trim().parse().unwrap_or(0),
        _ => received,
    };
    if status != StatusCode::OK || size != order.bytes {
        return Err(format!("the server's response is wrong: status {status}, {received} bytes").into());
    }
    Ok(())
}

/// Performs a number of requests, some concurrently, and returns the number of threads that were seen.
async fn run(client: &Client<Connector>, order: &Order, bytes: &Bytes, total: usize) -> Result<usize, Failure> {
    let mut running = FuturesUnordered::new();
    let (mut started, mut completed, mut threads) = (0, 0, 0);
    while completed < total {
        while started < total && running.len() < order.in_flight {
            running.push(perform(client, order, bytes));
            started += 1;
        }
        running.next().await.unwrap_or(Ok(()))?;
        completed += 1;
        if completed % (total / 4 + 1) == 0 {
            threads = status("Threads");
        }
    }
    Ok(threads)
}

async fn measure(order: &Order) -> Result<(), Failure> {
    let client = make_client(order)?;
    let size = if order.work == Work::UploadData { order.bytes } else { 0 };
    let bytes = Bytes::from(vec![b'a'; size]);
    run(&client, order, &bytes, order.warm_up).await?;
    let start_memory = status("VmRSS") * 1024;
    let (start, start_processor) = (Instant::now(), processor_time());
    let threads = run(&client, order, &bytes, order.count).await?;
    let (wall, processor) = (start.elapsed().as_secs_f64(), processor_time() - start_processor);
    println!(
        "{{\"count\":{},\"wall\":{wall:.9},\"cpu\":{processor:.9},\"peakMemory\":{},\"startMemory\":{start_memory},\
         \"fileMemory\":{},\"threads\":{},\"extras\":{{}}}}",
        order.count,
        status("VmHWM") * 1024,
        status("RssFile") * 1024,
        threads.max(status("Threads")),
    );
    Ok(())
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let result = Order::read(std::env::args().skip(1)).map_err(Failure::from).and_then(|order| {
        runtime?.block_on(measure(&order))
    });
    if let Err(failure) = result {
        eprintln!("{failure}");
        std::process::exit(1);
    }
}
