/// The options of the command line.
pub struct Order {
    pub work: Work,
    pub url: String,
    pub count: usize,
    pub in_flight: usize,
    /// The size of each body, of the response or of the upload.
    pub bytes: usize,
    /// The number of requests before the measured ones.
    pub warm_up: usize,
    pub file: Option<String>,
    /// The file of the certificate authority to trust.
    pub authority: Option<String>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Work {
    Requests,
    Discard,
    Download,
    Upload,
    UploadData,
}

impl Order {
    /// Reads pairs of an option and its value.
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Order, String> {
        let mut order = Order {
            work: Work::Requests,
            url: String::new(),
            count: 1,
            in_flight: 1,
            bytes: 0,
            warm_up: 0,
            file: None,
            authority: None,
        };
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("{name} has no value"))?;
            match name.as_str() {
                "--work" => order.work = work(&value)?,
                "--url" => order.url = value,
                "--file" => order.file = Some(value),
                "--authority" => order.authority = Some(value),
                "--count" => order.count = number(&name, &value)?,
                "--in-flight" => order.in_flight = number(&name, &value)?,
                "--bytes" => order.bytes = number(&name, &value)?,
                "--warm-up" => order.warm_up = number(&name, &value)?,
                "--face" | "--connections" => {}
                _ => return Err(format!("there is no option {name}")),
            }
        }
        if order.url.is_empty() {
            return Err("--url is missing".into());
        }
        if order.in_flight == 0 {
            return Err("--in-flight must be at least 1".into());
        }
        Ok(order)
    }

    pub fn required_file(&self) -> Result<&str, String> {
        self.file.as_deref().ok_or_else(|| "--file is missing".into())
    }
}

fn work(name: &str) -> Result<Work, String> {
    match name {
        "requests" => Ok(Work::Requests),
        "discard" => Ok(Work::Discard),
        "download" => Ok(Work::Download),
        "upload" => Ok(Work::Upload),
        "upload-data" => Ok(Work::UploadData),
        _ => Err(format!("the hyper client does not support the work {name}")),
    }
}

fn number(name: &str, value: &str) -> Result<usize, String> {
    value.parse().map_err(|_| format!("{name}: not a number"))
}
