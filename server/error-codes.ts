/**
 * Every error a verb can raise. `kind` decides the HTTP status (one table, below); `message` is the English
 * sentence of the API (`detail` of the problem document). The console has its own text for each code, in both
 * languages (app/i18n/error-messages.ts), exhaustive by type. `{name}` marks a parameter.
 */
export const ERROR_CODES = {
  invalid_input: { kind: 'invalid', message: 'The request is not valid: {reason}.' },
  unauthenticated: { kind: 'unauthenticated', message: 'Sign in, or send a valid credential.' },
  credential_invalid: { kind: 'unauthenticated', message: 'The credential is unknown, expired or inactive.' },
  cross_site_request: { kind: 'forbidden', message: 'The request did not come from this console.' },
  permission_required: {
    kind: 'forbidden',
    message: 'This needs the permission {permission} in the organization.',
  },
  person_required: { kind: 'forbidden', message: 'Only a signed-in person may do this.' },
  operator_required: {
    kind: 'forbidden',
    message: 'Only an operator with the access {access} may do this.',
  },
  organization_suspended: {
    kind: 'forbidden',
    message: 'The organization is suspended: you can read everything but change nothing.',
  },
  out_of_scope: { kind: 'forbidden', message: 'The credential does not give access to this resource.' },
  not_found: { kind: 'not_found', message: 'Nothing was found at this address.' },
  organization_not_found: { kind: 'not_found', message: 'The organization does not exist or is not yours.' },
  member_not_found: { kind: 'not_found', message: 'Member not found.' },
  abuse_report_not_found: { kind: 'not_found', message: 'The report does not exist.' },
  person_not_found: { kind: 'not_found', message: 'There is no person with that id, login or address.' },
  invitation_not_found: {
    kind: 'not_found',
    message: 'This invitation does not exist, has been used, was revoked or has expired.',
  },
  site_not_found: { kind: 'not_found', message: 'Site not found.' },
  bucket_not_found: { kind: 'not_found', message: 'Bucket not found.' },
  object_not_found: { kind: 'not_found', message: 'Object not found.' },
  version_not_found: { kind: 'not_found', message: 'Version not found.' },
  credential_not_found: { kind: 'not_found', message: 'Credential not found.' },
  session_not_found: { kind: 'not_found', message: 'Session not found.' },
  method_not_allowed: { kind: 'method_not_allowed', message: 'This address does not support that method.' },
  unsupported_media_type: { kind: 'unsupported_media_type', message: 'Send {expected}.' },
  too_many_requests: { kind: 'too_many', message: 'Too many requests. Try again in {seconds} seconds.' },
  organization_busy: {
    kind: 'too_many',
    message: 'Too many deploys of this organization are already waiting. Try again in {seconds} seconds.',
  },
  conflict: {
    kind: 'conflict',
    message: 'Someone else changed this at the same time. Reload the page and try again.',
  },
  idempotency_key_reused: {
    kind: 'conflict',
    message: 'This Idempotency-Key was used for a different request, or its first request is still running.',
  },
  billing_required: { kind: 'payment_required', message: 'Set up billing for this organization first.' },
  billing_off: { kind: 'not_found', message: 'Nothing is billed on this installation.' },
  billing_customer_not_found: { kind: 'not_found', message: 'No billing customer found' },
  payment_method_not_found: { kind: 'not_found', message: 'The payment method does not exist.' },
  payment_method_limit: {
    kind: 'conflict',
    message: 'The organization may have {limit} payment methods. Remove one first.',
  },
  setup_not_found: { kind: 'not_found', message: 'The card setup does not exist.' },
  setup_incomplete: {
    kind: 'conflict',
    message: 'The card was not verified. Enter it again, or use another one.',
  },
  invoice_not_found: { kind: 'not_found', message: 'Invoice not found.' },
  spending_limit_not_found: { kind: 'not_found', message: 'The spending limit does not exist.' },
  invoice_not_open: { kind: 'conflict', message: 'The invoice is not awaiting payment.' },
  credit_too_large: {
    kind: 'conflict',
    message: 'At most {left} cents of the invoice can be credited.',
  },
  month_open: {
    kind: 'conflict',
    message: 'The month {month} is still open: it closes 24 hours after its end.',
  },
  payments_unavailable: {
    kind: 'unavailable',
    message: 'The payment provider is not responding. Nothing was lost; try again in {seconds} seconds.',
  },
  webhook_refused: { kind: 'invalid', message: 'The delivery is not signed by the payment provider.' },
  organization_is_personal: {
    kind: 'conflict',
    message: 'A personal workspace has one member and is managed by the profile.',
  },
  organization_managed_elsewhere: {
    kind: 'conflict',
    message: 'This organization is managed by another identity service. Change it there.',
  },
  organization_handle_taken: { kind: 'conflict', message: 'The short name {handle} is taken.' },
  organization_not_empty: {
    kind: 'conflict',
    message: 'Delete the sites, endpoints, buckets and credentials of the organization first.',
  },
  last_owner: {
    kind: 'conflict',
    message: 'An organization needs at least one owner. Make another member an owner first.',
  },
  permission_not_grantable: {
    kind: 'forbidden',
    message: 'Only an owner may give the permission {permission} or take it away.',
  },
  already_member: { kind: 'conflict', message: 'You are already a member of this organization.' },
  mail_not_configured: { kind: 'conflict', message: 'This installation does not send email.' },
  mail_link_invalid: {
    kind: 'invalid',
    message: 'This link has already been used or has expired. Ask for a new one.',
  },
  feature_unknown: { kind: 'invalid', message: 'There is no feature {feature}.' },
  site_name_empty: {
    kind: 'invalid',
    message: 'The site name must contain at least one letter or digit (a-z, 0-9).',
  },
  site_name_reserved: { kind: 'conflict', message: 'The name {name} is reserved. Try {suggestion}.' },
  site_name_taken: { kind: 'conflict', message: 'The name {name} is taken. Try {suggestion}.' },
  site_has_endpoints: {
    kind: 'conflict',
    message: 'Cannot delete site with active CDN endpoints. Please delete all CDN endpoints first.',
  },
  endpoint_not_found: { kind: 'not_found', message: 'CDN endpoint not found' },
  bundle_not_found: { kind: 'not_found', message: 'The certificate bundle does not exist.' },
  bundle_exists: { kind: 'conflict', message: 'The endpoint already has a certificate bundle.' },
  hostname_invalid: { kind: 'invalid', message: 'The hostname {hostname} cannot be used: {reason}.' },
  hostname_reserved: { kind: 'conflict', message: 'The hostname {hostname} belongs to this installation.' },
  hostname_taken: { kind: 'conflict', message: 'The hostname {hostname} is in use by another endpoint.' },
  hostname_unproven: {
    kind: 'conflict',
    message:
      'Another organization has added {hostname} without proving that it owns it. Create a CNAME record at {name} that points to {target}, then add the hostname again to claim it.',
  },
  hostname_resting: {
    kind: 'conflict',
    message: 'The hostname {hostname} was removed recently. It becomes available again at {until}.',
  },
  endpoint_limit: {
    kind: 'conflict',
    message:
      '{limit} endpoints are still waiting for their DNS records. Add those records first, or remove some endpoints.',
  },
  origin_unavailable: { kind: 'invalid', message: 'The origin http is not available yet.' },
  endpoint_site_required: { kind: 'invalid', message: 'Choose the site that the endpoint serves.' },
  redirect_target_required: { kind: 'invalid', message: 'Enter the address that the endpoint redirects to.' },
  redirect_target_invalid: {
    kind: 'invalid',
    message: 'The redirect target must be an absolute http or https address with a host: {reason}.',
  },
  redirect_target_refused: {
    kind: 'conflict',
    message: 'Redirects lead only to hosts below {suffix} and to hostnames of the organization.',
  },
  redirect_loop: { kind: 'conflict', message: 'An endpoint cannot redirect to itself ({hostname}).' },
  challenge_record_missing: {
    kind: 'conflict',
    message: 'The record {name} does not point at {target} yet. Set it and validate again.',
  },
  caa_forbids: {
    kind: 'conflict',
    message: 'The CAA record of {name} does not allow {authority} to issue. Add it and try again.',
  },
  dns_unavailable: {
    kind: 'unavailable',
    message: 'The records of {name} could not be looked up: {reason}. Try again in a minute.',
  },
  certificate_limit: {
    kind: 'too_many',
    message:
      'The certificate authority is not accepting more requests for now. Try again in {seconds} seconds.',
  },
  certificate_unavailable: {
    kind: 'unavailable',
    message: 'The certificate authority is not responding. We will try again automatically.',
  },
  certificate_failed: { kind: 'conflict', message: 'The certificate could not be issued: {reason}' },
  credential_name_required: { kind: 'invalid', message: 'Please enter a name for the credential' },
  scope_resource_not_found: {
    kind: 'invalid',
    message: 'A scope refers to a resource that does not exist: {resource}.',
  },
  version_sealed: { kind: 'conflict', message: 'This version is sealed and can no longer change.' },
  version_not_sealed: { kind: 'conflict', message: 'This version is not sealed yet.' },
  version_incomplete: { kind: 'conflict', message: '{count} files are still missing, the first is {path}.' },
  manifest_incomplete: {
    kind: 'conflict',
    message: 'The version lists {count} of {expected} files. Send the remaining parts of its manifest first.',
  },
  version_is_current: { kind: 'conflict', message: 'This version is already the current one.' },
  version_suspended: {
    kind: 'conflict',
    message: 'The operator has suspended this version; it cannot be made current.',
  },
  version_reverted: { kind: 'conflict', message: 'This version was reverted and cannot be made current.' },
  unsafe_path: { kind: 'invalid', message: 'The path {path} cannot be deployed: {reason}.' },
  path_under_file: {
    kind: 'invalid',
    message: 'The path {path} needs a folder where {other} is a file. Rename one of them.',
  },
  file_differs: {
    kind: 'conflict',
    message: 'This version already lists {path} with other content. Open a new version.',
  },
  version_being_sealed: {
    kind: 'conflict',
    message: 'This version is being sealed by another request. Ask for it again in a moment.',
  },
  path_collision: { kind: 'invalid', message: 'The paths {path} and {other} differ only by case.' },
  hash_mismatch: { kind: 'invalid', message: 'The content received does not match {sha256} ({path}).' },
  size_mismatch: {
    kind: 'invalid',
    message: 'The content of {path} has {actual} bytes, but the manifest says {expected}.',
  },
  blob_not_expected: { kind: 'invalid', message: 'No file of this version has the hash {sha256}.' },
  manifest_empty: { kind: 'invalid', message: 'A version needs at least one file.' },
  archive_invalid: { kind: 'invalid', message: 'The archive cannot be read: {reason}.' },
  archive_entry_refused: { kind: 'invalid', message: 'The archive entry {path} is refused: {reason}.' },
  limit_files: { kind: 'too_large', message: 'A version holds at most {limit} files.' },
  limit_file_bytes: { kind: 'too_large', message: 'The file {path} is larger than {limit} bytes.' },
  limit_version_bytes: { kind: 'too_large', message: 'A version holds at most {limit} bytes.' },
  limit_body_bytes: { kind: 'too_large', message: 'The request body is larger than {limit} bytes.' },
  service_unavailable: {
    kind: 'unavailable',
    message:
      'A service that this one depends on is not responding right now. Try again in {seconds} seconds.',
  },
  feature_missing: { kind: 'forbidden', message: 'The organization does not have the feature {feature}.' },
  bucket_name_taken: { kind: 'conflict', message: 'The bucket name {name} is taken. Choose another one.' },
  bucket_not_active: { kind: 'conflict', message: 'The bucket can be changed only while it is active.' },
  limit_buckets: {
    kind: 'conflict',
    message:
      'The organization may have {limit} buckets. Delete some, or ask the operator of this installation for more.',
  },
  limit_bucket_bytes: {
    kind: 'conflict',
    message:
      'The buckets of the organization may hold {limit} bytes. Delete objects, or ask the operator of this installation for more.',
  },
  limit_sites: {
    kind: 'conflict',
    message:
      'The organization may have {limit} sites; deleted ones count for seven days. Delete some, or ask the operator of this installation for more.',
  },
  limit_versions: {
    kind: 'conflict',
    message:
      'The organization may keep {limit} versions. Keep fewer old versions of its sites, or ask the operator of this installation for more.',
  },
  limit_open_versions: {
    kind: 'conflict',
    message:
      'The organization may have {limit} deploys under way at once. Finish or cancel some; abandoned ones end after a day.',
  },
  limit_stored_files: {
    kind: 'conflict',
    message:
      'All versions of the organization together may hold {limit} files. Keep fewer old versions of its sites, or ask the operator of this installation for more.',
  },
  limit_stored_bytes: {
    kind: 'conflict',
    message:
      'The organization may store {limit} bytes, and this deploy would exceed that. Keep fewer old versions of its sites, delete sites, or ask the operator of this installation for more.',
  },
  limit_endpoints: {
    kind: 'conflict',
    message:
      'The organization may have {limit} endpoints. Delete some, or ask the operator of this installation for more.',
  },
  limit_credentials: {
    kind: 'conflict',
    message:
      'The organization may have {limit} credentials. Delete some, or ask the operator of this installation for more.',
  },
  limit_members: {
    kind: 'conflict',
    message:
      'The organization may have {limit} members. Remove some, or ask the operator of this installation for more.',
  },
  limit_invitations: {
    kind: 'conflict',
    message: 'The organization may have {limit} open invitations. Revoke some, or wait until some are used.',
  },
  limit_organizations: {
    kind: 'conflict',
    message: 'One person may own {limit} organizations. Delete one, or make someone else its owner.',
  },
  storage_full: { kind: 'storage_full', message: 'The disk is full. Nothing was lost; try again later.' },
  upload_interrupted: {
    kind: 'invalid',
    message: 'The upload ended early. Request the list of missing files and continue.',
  },
  account_email_taken: { kind: 'conflict', message: 'An account with this email address already exists.' },
  account_login_taken: { kind: 'conflict', message: 'The user name {login} is taken.' },
  sign_in_failed: { kind: 'unauthenticated', message: 'The email address or the password is wrong.' },
  registration_closed: {
    kind: 'forbidden',
    message: 'You need an invitation, or an account created by the operator of this installation.',
  },
  person_owns: {
    kind: 'conflict',
    message: 'There is no other owner of {names}. Name a new owner, or choose to delete everything.',
  },
  account_blocked: {
    kind: 'forbidden',
    message: 'The operator of this installation has blocked the account.',
  },
  account_unverified: {
    kind: 'forbidden',
    message: 'Confirm the address first, with the link that was sent to it.',
  },
  sign_in_expired: {
    kind: 'invalid',
    message: 'This sign-in took too long or was already used. Start again.',
  },
  sign_in_refused: { kind: 'forbidden', message: 'The sign-in service refused the sign-in.' },
  sign_in_unavailable: {
    kind: 'unavailable',
    message: 'The sign-in service is not responding. Try again in a minute.',
  },
  second_factor_code_wrong: {
    kind: 'invalid',
    message: 'The code is wrong, has expired or has already been used.',
  },
  identity_token_refused: { kind: 'unauthenticated', message: 'The identity token is refused: {reason}.' },
  identity_token_used: {
    kind: 'unauthenticated',
    message: 'The identity token has already been used. Request a new one.',
  },
  publisher_unknown: {
    kind: 'forbidden',
    message:
      'No site {site} trusts this run: issuer {issuer}, repository {repository}, branch {branch}, environment {environment}. ' +
      'Add it to the settings of the site, under "Deploy from CI".',
  },
  webhook_not_found: { kind: 'not_found', message: 'The webhook was not found.' },
  webhook_message_not_found: {
    kind: 'not_found',
    message: 'The event was not found. Events are kept for 30 days.',
  },
  webhook_limit: { kind: 'conflict', message: 'An organization can have at most {max} webhooks.' },
  webhook_paused: { kind: 'conflict', message: 'The webhook is paused. Resume it first.' },
  webhook_url_refused: {
    kind: 'invalid',
    message:
      'Events can be sent only to https addresses on the public internet, without a user name. The operator can allow other networks ' +
      '(WEBHOOK_NETWORKS).',
  },
  publisher_not_found: { kind: 'not_found', message: 'The repository is not trusted here.' },
  publisher_exists: { kind: 'conflict', message: 'This repository and branch are already trusted.' },
  publisher_limit: { kind: 'conflict', message: 'A site can trust at most {max} repositories and branches.' },
  issuer_not_accepted: {
    kind: 'invalid',
    message:
      'This installation does not accept identity tokens from {issuer}. Its operator chooses the issuers (CI_ISSUERS).',
  },
  publish_not_allowed: {
    kind: 'forbidden',
    message:
      'This run can create previews only. Deploy without publishing, or change the settings of the site.',
  },
  passkey_refused: {
    kind: 'unauthenticated',
    message:
      'The passkey was not accepted. It may have been removed from the account, or the request may have timed out.',
  },
  passkey_known: { kind: 'conflict', message: 'This passkey is already in use.' },
  passkey_limit: { kind: 'conflict', message: 'An account can have at most {max} passkeys.' },
  passkeys_impossible: {
    kind: 'conflict',
    message: 'Passkeys work only at an https address with a domain name, or on localhost.',
  },
  passkey_not_found: { kind: 'not_found', message: 'The passkey does not exist.' },
  second_factor_is_on: { kind: 'conflict', message: 'Two-step sign-in is already on.' },
  second_factor_is_off: { kind: 'conflict', message: 'Two-step sign-in is off. Set it up first.' },
  current_password_wrong: { kind: 'invalid', message: 'The current password is wrong.' },
  internal: {
    kind: 'internal',
    message: 'Something went wrong on our side. The request id helps us find it.',
  },
} as const satisfies Record<string, { kind: ErrorKind; message: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'payment_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'conflict'
  | 'too_large'
  | 'too_many'
  | 'storage_full'
  | 'unavailable'
  | 'internal';

/** The one table from kind to HTTP status, used by REST and tRPC alike. */
export const STATUS_OF_KIND: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  too_many: 429,
  internal: 500,
  unavailable: 503,
  storage_full: 507,
};

export type ErrorParams = Record<string, string | number>;

/** The shape of an error on every transport; the console translates `code` with `params`. */
export interface ErrorShape {
  code: ErrorCode;
  message: string;
  params: ErrorParams;
  fields: FieldError[];
  request_id: string | null;
}

/** One invalid field: where it is and what is wrong with it, in English. */
export interface FieldError {
  path: string;
  message: string;
}

/** Whether a text is one of our codes. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** Returns the English sentence of a code with its parameters filled in. */
export function describeError(code: ErrorCode, params: ErrorParams = {}): string {
  return ERROR_CODES[code].message.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? name));
}
