// Functions that Debian's libcurl.a refers to, and of which Debian has no static library, for .ci/static.
//
// Kerberos ends with an error ("Negotiate" is not available in a static program); LDAP and RTMP are not among the
// protocols that Ferry allows.
#include <stddef.h>
#include <stdint.h>

#define KERBEROS(NAME)                                                                                                 \
    uint32_t NAME(uint32_t *minor) {                                                                                   \
        const uint32_t failure = 13u << 16;                                                                            \
        if (minor != NULL) *minor = 0;                                                                                 \
        return failure;                                                                                                \
    }
#define UNUSED(NAME)                                                                                                   \
    long NAME(void) { return -1; }

const void *GSS_C_NT_HOSTBASED_SERVICE = NULL;
KERBEROS(gss_delete_sec_context)
KERBEROS(gss_import_name)
KERBEROS(gss_init_sec_context)
KERBEROS(gss_inquire_context)
KERBEROS(gss_release_buffer)
KERBEROS(gss_release_name)
KERBEROS(gss_unwrap)
KERBEROS(gss_wrap)

// libcurl calls this for the text of an error, until `more` is zero.
uint32_t gss_display_status(uint32_t *minor, uint32_t value, int type, void *mechanism, uint32_t *more, size_t *text) {
    (void)value, (void)type, (void)mechanism;
    if (minor != NULL) *minor = 0;
    *more = 0;
    text[0] = text[1] = 0;
    return 0;
}
KERBEROS(gss_display_name)

UNUSED(RTMP_Alloc)
UNUSED(RTMP_Close)
UNUSED(RTMP_Connect1)
UNUSED(RTMP_ConnectStream)
UNUSED(RTMP_Free)
UNUSED(RTMP_Init)
UNUSED(RTMP_Read)
UNUSED(RTMP_SetBufferMS)
UNUSED(RTMP_SetupURL)
UNUSED(RTMP_Write)
UNUSED(ber_bvfree)
UNUSED(ber_free)
UNUSED(ber_memfree)
UNUSED(ber_memvfree)
UNUSED(ber_sockbuf_add_io)
UNUSED(ldap_abandon_ext)
UNUSED(ldap_err2string)
UNUSED(ldap_free_urldesc)
UNUSED(ldap_get_attribute_ber)
UNUSED(ldap_get_dn_ber)
UNUSED(ldap_get_option)
UNUSED(ldap_init_fd)
UNUSED(ldap_memfree)
UNUSED(ldap_msgfree)
UNUSED(ldap_msgtype)
UNUSED(ldap_parse_result)
UNUSED(ldap_parse_sasl_bind_result)
UNUSED(ldap_pvt_url_scheme2proto)
UNUSED(ldap_result)
UNUSED(ldap_sasl_bind)
UNUSED(ldap_search_ext)
UNUSED(ldap_set_option)
UNUSED(ldap_start_tls)
UNUSED(ldap_unbind_ext)
UNUSED(ldap_url_parse)
