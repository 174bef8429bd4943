import type { ErrorCode, ErrorParams } from './error-codes.ts';

/** The English sentence of every error (`detail` of the problem document). `{name}` marks a parameter, `{name|money}` one in cents. */
export const ERROR_SENTENCES: Record<ErrorCode, string> = {
  invalid_input: 'The request is not valid: {reason}.',
  unauthenticated: 'Sign in, or send a valid credential.',
  credential_invalid: 'The credential is unknown, expired or inactive.',
  cross_site_request: 'The request did not come from this console.',
  permission_required: 'You need the {permission} permission in this organization.',
  person_required: 'Only a signed-in person may do this.',
  operator_required: 'Only an operator with {access} access may do this.',
  organization_suspended: 'The organization is suspended: you can read everything but change nothing.',
  out_of_scope: 'The credential does not give access to this resource.',
  not_found: 'Nothing was found at this address.',
  organization_not_found: 'Organization not found.',
  member_not_found: 'Member not found.',
  abuse_report_not_found: 'The report does not exist.',
  person_not_found: 'There is no person with that ID, user name or email address.',
  invitation_not_found: 'This invitation does not exist, has been used, was revoked or has expired.',
  site_not_found: 'Site not found.',
  bucket_not_found: 'Bucket not found.',
  upload_not_found: 'Upload not found: it has been completed or abandoned.',
  object_not_found: 'Object not found.',
  version_not_found: 'Version not found.',
  credential_not_found: 'Credential not found.',
  session_not_found: 'Session not found.',
  method_not_allowed: 'This address does not support that method.',
  unsupported_media_type: 'Send {expected}.',
  too_many_requests: 'Too many requests. Try again in {seconds} seconds.',
  organization_busy:
    'Too many deploys of this organization are already waiting. Try again in {seconds} seconds.',
  conflict: 'Someone else changed this at the same time. Reload the page and try again.',
  idempotency_key_reused:
    'This Idempotency-Key was used for a different request, or with another permission. Use a new one.',
  idempotency_request_running:
    'The first request with this Idempotency-Key is still running. Send it again in a moment.',
  idempotency_outcome_unknown:
    'The first request with this Idempotency-Key was interrupted after it had changed something. Look at what it did, and use a new key for the rest.',
  billing_required: 'Set up billing for this organization first.',
  billing_off: 'Nothing is billed on this installation.',
  billing_customer_not_found: 'No billing customer found',
  payment_method_not_found: 'The payment method does not exist.',
  payment_method_limit: 'The organization may have {limit} payment methods. Remove one first.',
  setup_not_found: 'The card setup does not exist.',
  setup_incomplete: 'The card was not verified. Enter it again, or use another one.',
  invoice_not_found: 'Invoice not found.',
  spending_limit_not_found: 'The spending limit does not exist.',
  invoice_not_open: 'The invoice is not awaiting payment.',
  invoice_partly_paid:
    'A part of the invoice was paid. Credit what is left to pay, then refund the part that was paid.',
  invoice_link_invalid: 'This link to an invoice is unknown or has expired.',
  credit_too_large: 'At most {left|money} of the invoice can be credited.',
  credit_refused: 'The payment provider refused ({reason}). Nothing was credited.',
  refund_not_rejected: 'No bank has rejected a refund of this invoice.',
  refund_too_large: 'At most {left|money} of the invoice can be refunded to a card that paid it.',
  credit_leaves_too_little:
    'Less than {minimum|money} cannot be charged to a card. Credit all {left|money}, or leave {minimum|money} at least.',
  month_open: 'The month {month} is still open: it closes 24 hours after its end.',
  payments_unavailable:
    'The payment provider is not responding. Nothing was lost; try again in {seconds} seconds.',
  webhook_refused: 'The delivery is not signed by the payment provider.',
  organization_is_personal:
    'A personal workspace has only one member and takes its details from that person’s profile.',
  organization_managed_elsewhere:
    'This organization is managed by another identity service. Change it there.',
  organization_handle_taken: 'The short name {handle} is taken.',
  organization_not_empty: 'Delete the sites, endpoints, buckets and credentials of the organization first.',
  last_owner: 'An organization needs at least one owner. Make another member an owner first.',
  permission_not_grantable: 'Only an owner can grant or revoke the {permission} permission.',
  already_member: 'You are already a member of this organization.',
  mail_not_configured: 'This installation does not send email.',
  mail_link_invalid: 'This link has already been used or has expired. Ask for a new one.',
  feature_unknown: 'There is no feature {feature}.',
  site_name_empty: 'The site name must contain at least one letter or digit (a-z, 0-9).',
  site_name_reserved: 'The name {name} is reserved. Try {suggestion}.',
  site_name_taken: 'The name {name} is taken. Try {suggestion}.',
  site_has_endpoints: 'Cannot delete site with active CDN endpoints. Please delete all CDN endpoints first.',
  endpoint_not_found: 'CDN endpoint not found',
  bundle_not_found: 'The certificate bundle does not exist.',
  bundle_exists: 'The endpoint already has a certificate bundle.',
  hostname_invalid: 'The hostname {hostname} cannot be used: {reason}.',
  hostname_reserved: 'The hostname {hostname} belongs to this installation.',
  hostname_taken: 'The hostname {hostname} is in use by another endpoint.',
  hostname_unproven:
    'Another organization has added {hostname} without proving that it owns it. Create a CNAME record at {name} that points to {target}, then add the hostname again to claim it.',
  hostname_resting: 'The hostname {hostname} was removed recently. It becomes available again at {until}.',
  endpoint_limit:
    '{limit} endpoints are still waiting for their DNS records. Add those records first, or delete some endpoints.',
  origin_unavailable: 'The http origin is not available yet.',
  endpoint_site_required: 'Choose the site that the endpoint serves.',
  redirect_target_required: 'Enter the address that the endpoint redirects to.',
  redirect_target_invalid:
    'The redirect target must be an absolute http or https address with a host: {reason}.',
  redirect_target_refused:
    'Redirects can point only to hosts under {suffix} and to hostnames of the organization.',
  redirect_loop: 'An endpoint cannot redirect to itself ({hostname}).',
  challenge_record_missing: 'The record {name} does not point to {target} yet. Set it and validate again.',
  caa_forbids:
    'The CAA records of {name} do not allow {authority} to issue certificates. Add a record that does, then try again.',
  dns_unavailable: 'The records of {name} could not be looked up: {reason}. Try again in a minute.',
  certificate_limit:
    'The certificate authority is not accepting more requests for now. Try again in {seconds} seconds.',
  certificate_unavailable: 'The certificate authority is not responding. We will try again automatically.',
  certificate_failed: 'The certificate could not be issued: {reason}',
  credential_name_required: 'Please enter a name for the credential',
  scope_resource_not_found: 'A scope refers to a resource that does not exist: {resource}.',
  version_sealed: 'This version is sealed and can no longer change.',
  version_not_sealed: 'This version is not sealed yet.',
  version_incomplete: '{count} files are still missing, the first is {path}.',
  manifest_incomplete:
    'The version lists {count} of {expected} files. Send the remaining parts of its manifest first.',
  version_is_current: 'This version is already the current one.',
  version_suspended: 'The operator has suspended this version; it cannot be made current.',
  version_reverted: 'This version was reverted and cannot be made current.',
  unsafe_path: 'The path {path} cannot be deployed: {reason}.',
  path_under_file: 'The path {path} needs a folder where {other} is a file. Rename one of them.',
  file_differs: 'This version already lists {path} with other content. Open a new version.',
  version_being_sealed: 'This version is being sealed by another request. Try again in a moment.',
  path_repeated: 'The path {path} is listed more than once.',
  path_collision: 'The paths {path} and {other} differ only by case.',
  hash_mismatch: 'The content received does not match {sha256} ({path}).',
  size_mismatch: 'The content of {path} has {actual} bytes, but the manifest says {expected}.',
  blob_not_expected: 'No file of this version has the hash {sha256}.',
  manifest_empty: 'A version needs at least one file.',
  archive_invalid: 'The archive cannot be read: {reason}.',
  archive_entry_refused: 'The archive entry {path} is refused: {reason}.',
  limit_files: 'A version holds at most {limit} files.',
  limit_file_bytes: 'The file {path} is larger than {limit} bytes.',
  limit_version_bytes: 'A version holds at most {limit} bytes.',
  limit_body_bytes: 'The request body is larger than {limit} bytes.',
  service_unavailable:
    'A service that this one depends on is not responding right now. Try again in {seconds} seconds.',
  feature_missing: 'The organization does not have the feature {feature}.',
  bucket_name_taken: 'The bucket name {name} is taken. Choose another one.',
  bucket_not_active: 'The bucket can be changed only while it is active.',
  public_access_blocked:
    'An S3 client has blocked public access to this bucket. Remove the block with DeletePublicAccessBlock first.',
  limit_buckets:
    'The organization may have {limit} buckets. Delete some, or ask the operator of this installation for more.',
  limit_bucket_bytes:
    'The buckets of the organization may hold {limit} bytes. Delete objects, or ask the operator of this installation for more.',
  limit_bucket_objects:
    'The buckets of the organization may hold {limit} objects. Delete some, or ask the operator of this installation for more.',
  limit_sites:
    'The organization may have {limit} sites; deleted ones count for seven days. Delete some, or ask the operator of this installation for more.',
  limit_versions:
    'The organization may keep {limit} versions. Keep fewer old versions of its sites, or ask the operator of this installation for more.',
  limit_open_versions:
    'The organization may have {limit} deploys under way at once. Finish or cancel some; abandoned ones end after a day.',
  limit_stored_files:
    'All versions of the organization together may hold {limit} files. Keep fewer old versions of its sites, or ask the operator of this installation for more.',
  limit_stored_bytes:
    'The organization may store {limit} bytes, and this deploy would exceed that. Keep fewer old versions of its sites, delete sites, or ask the operator of this installation for more.',
  limit_endpoints:
    'The organization may have {limit} endpoints. Delete some, or ask the operator of this installation for more.',
  limit_credentials:
    'The organization may have {limit} credentials. Delete some, or ask the operator of this installation for more.',
  limit_members:
    'The organization may have {limit} members. Remove some, or ask the operator of this installation for more.',
  limit_invitations:
    'The organization may have {limit} open invitations. Revoke some, or wait until some are used.',
  limit_organizations:
    'One person may own {limit} organizations. Delete one, or make someone else its owner.',
  storage_full: 'The disk is full. Nothing was lost; try again later.',
  upload_interrupted: 'The upload ended early. Request the list of missing files and continue.',
  account_email_taken: 'An account with this email address already exists.',
  account_login_taken: 'The user name {login} is taken.',
  sign_in_failed: 'The email address or the password is wrong.',
  registration_closed: 'You need an invitation, or an account created by the operator of this installation.',
  person_owns: 'There is no other owner of {names}. Name a new owner, or choose to delete everything.',
  account_blocked: 'The operator of this installation has blocked the account.',
  account_unverified: 'Confirm the address first, with the link that was sent to it.',
  sign_in_expired: 'This sign-in took too long or was already used. Start again.',
  sign_in_refused: 'The identity service refused the sign-in.',
  sign_in_unavailable: 'The identity service is not responding. Try again in a minute.',
  second_factor_code_wrong: 'The code is wrong, has expired or has already been used.',
  identity_token_refused: 'The identity token is refused: {reason}.',
  identity_token_used: 'The identity token has already been used. Request a new one.',
  publisher_unknown:
    'No site {site} trusts this run: issuer {issuer}, repository {repository}, branch {branch}, environment {environment}. Add the repository to the site, on its page under "Deploy from CI".',
  webhook_not_found: 'Webhook not found.',
  webhook_message_not_found: 'The event was not found. Events are kept for 30 days.',
  webhook_limit: 'An organization can have at most {max} webhooks.',
  webhook_paused: 'The webhook is paused. Resume it first.',
  webhook_url_refused:
    'Events can be sent only to https addresses on the public internet, without a user name. The operator can allow other networks (WEBHOOK_NETWORKS).',
  publisher_not_found: 'The repository is not trusted here.',
  publisher_exists: 'This repository and branch are already trusted.',
  publisher_limit: 'A site can trust at most {max} repositories and branches.',
  issuer_not_accepted:
    'This installation does not accept identity tokens from {issuer}. Its operator chooses the issuers (CI_ISSUERS).',
  publish_not_allowed:
    'This run can create previews only. Deploy without publishing, or change the settings of the site.',
  passkey_refused:
    'The passkey was not accepted. It may have been removed from the account, or the request may have timed out.',
  passkey_known: 'This passkey is already in use.',
  passkey_limit: 'An account can have at most {max} passkeys.',
  passkeys_impossible: 'Passkeys work only at an https address with a domain name, or on localhost.',
  passkey_not_found: 'The passkey does not exist.',
  second_factor_is_on: 'Two-step sign-in is already on.',
  second_factor_is_off: 'Two-step sign-in is off. Set it up first.',
  current_password_wrong: 'The current password is wrong.',
  internal:
    'Something went wrong on our side. Try again in a moment, and quote the request ID if you report it.',
};

const MONEY = new Intl.NumberFormat('en-CA', { style: 'currency', currency: 'CAD' });

/** Returns the English sentence of a code with its parameters filled in. */
export function describeError(code: ErrorCode, params: ErrorParams = {}): string {
  return ERROR_SENTENCES[code].replace(/\{(\w+)(\|money)?\}/g, (_, name: string, money?: string) => {
    const value = params[name] ?? name;
    return money === undefined ? String(value) : MONEY.format(Number(value) / 100);
  });
}
