//! The people of an organization: members and their roles, signing in, sessions, and the audit log.

mod audit_log;
mod context;
mod members;
mod session;
mod sign_in;

pub use context::PeopleContext;

api::routes! {
    pub fn routes(PeopleContext);
    members::http::list_members as "organization.members.list" => MembersRead,
    members::http::create_member as "organization.members.create" => MembersWrite,
    members::http::get_member as "organization.members.get" => MembersRead,
    members::http::update_member as "organization.members.update" => MembersWrite,
    members::http::delete_member as "organization.members.delete" => MembersWrite,
    members::link_http::create_sign_in_link as "organization.members.createSignInLink" => MembersWrite,
    audit_log::http::list_audit_log as "organization.auditLog.list" => AuditRead,
    sign_in::issuer_http::begin_sign_in as "signIn.begin",
    sign_in::issuer_http::complete_sign_in as "signIn.complete",
    sign_in::http::get_link as "signIn.link.get",
    sign_in::http::use_link as "signIn.link.redeem",
    session::http::get_session as "session.get",
    session::switching::switch_session as "session.switch",
    session::http::end_session as "session.delete",
    session::http::create_session_key as "session.createKey",
}
