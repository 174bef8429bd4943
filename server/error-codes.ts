/**
 * The kind of every error that a verb can raise; it decides the HTTP status (one table, below). The English sentence of each
 * is in error-sentences.ts; the console has its own texts in both languages (app/i18n/errors/error-messages.ts). Both are
 * exhaustive by type.
 */
export const KIND_OF_CODE = {
  invalid_input: 'invalid',
  unauthenticated: 'unauthenticated',
  credential_invalid: 'unauthenticated',
  cross_site_request: 'forbidden',
  permission_required: 'forbidden',
  person_required: 'forbidden',
  operator_required: 'forbidden',
  organization_suspended: 'forbidden',
  out_of_scope: 'forbidden',
  not_found: 'not_found',
  organization_not_found: 'not_found',
  member_not_found: 'not_found',
  abuse_report_not_found: 'not_found',
  person_not_found: 'not_found',
  invitation_not_found: 'not_found',
  site_not_found: 'not_found',
  bucket_not_found: 'not_found',
  object_not_found: 'not_found',
  upload_not_found: 'not_found',
  version_not_found: 'not_found',
  credential_not_found: 'not_found',
  session_not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  unsupported_media_type: 'unsupported_media_type',
  too_many_requests: 'too_many',
  organization_busy: 'too_many',
  conflict: 'conflict',
  idempotency_key_reused: 'conflict',
  idempotency_request_running: 'conflict',
  idempotency_outcome_unknown: 'conflict',
  billing_required: 'payment_required',
  billing_off: 'not_found',
  billing_customer_not_found: 'not_found',
  payment_method_not_found: 'not_found',
  payment_method_limit: 'conflict',
  setup_not_found: 'not_found',
  setup_incomplete: 'conflict',
  invoice_not_found: 'not_found',
  spending_limit_not_found: 'not_found',
  invoice_not_open: 'conflict',
  invoice_partly_paid: 'conflict',
  invoice_link_invalid: 'not_found',
  credit_too_large: 'conflict',
  credit_leaves_too_little: 'conflict',
  credit_refused: 'conflict',
  refund_too_large: 'conflict',
  refund_not_rejected: 'conflict',
  month_open: 'conflict',
  payments_unavailable: 'unavailable',
  webhook_refused: 'invalid',
  organization_is_personal: 'conflict',
  organization_managed_elsewhere: 'conflict',
  organization_handle_taken: 'conflict',
  organization_not_empty: 'conflict',
  last_owner: 'conflict',
  permission_not_grantable: 'forbidden',
  already_member: 'conflict',
  mail_not_configured: 'conflict',
  mail_link_invalid: 'invalid',
  feature_unknown: 'invalid',
  site_name_empty: 'invalid',
  site_name_reserved: 'conflict',
  site_name_taken: 'conflict',
  site_has_endpoints: 'conflict',
  endpoint_not_found: 'not_found',
  bundle_not_found: 'not_found',
  bundle_exists: 'conflict',
  hostname_invalid: 'invalid',
  hostname_reserved: 'conflict',
  hostname_taken: 'conflict',
  hostname_unproven: 'conflict',
  hostname_resting: 'conflict',
  endpoint_limit: 'conflict',
  origin_unavailable: 'invalid',
  endpoint_site_required: 'invalid',
  redirect_target_required: 'invalid',
  redirect_target_invalid: 'invalid',
  redirect_target_refused: 'conflict',
  redirect_loop: 'conflict',
  challenge_record_missing: 'conflict',
  caa_forbids: 'conflict',
  dns_unavailable: 'unavailable',
  certificate_limit: 'too_many',
  certificate_unavailable: 'unavailable',
  certificate_failed: 'conflict',
  credential_name_required: 'invalid',
  scope_resource_not_found: 'invalid',
  version_sealed: 'conflict',
  version_not_sealed: 'conflict',
  version_incomplete: 'conflict',
  manifest_incomplete: 'conflict',
  version_is_current: 'conflict',
  version_suspended: 'conflict',
  version_reverted: 'conflict',
  unsafe_path: 'invalid',
  path_under_file: 'invalid',
  file_differs: 'conflict',
  version_being_sealed: 'conflict',
  path_repeated: 'invalid',
  path_collision: 'invalid',
  hash_mismatch: 'invalid',
  size_mismatch: 'invalid',
  blob_not_expected: 'invalid',
  manifest_empty: 'invalid',
  archive_invalid: 'invalid',
  archive_entry_refused: 'invalid',
  limit_files: 'too_large',
  limit_file_bytes: 'too_large',
  limit_version_bytes: 'too_large',
  limit_body_bytes: 'too_large',
  service_unavailable: 'unavailable',
  feature_missing: 'forbidden',
  bucket_name_taken: 'conflict',
  bucket_not_active: 'conflict',
  public_access_blocked: 'conflict',
  limit_buckets: 'conflict',
  limit_bucket_bytes: 'conflict',
  limit_bucket_objects: 'conflict',
  limit_sites: 'conflict',
  limit_versions: 'conflict',
  limit_open_versions: 'conflict',
  limit_stored_files: 'conflict',
  limit_stored_bytes: 'conflict',
  limit_endpoints: 'conflict',
  limit_credentials: 'conflict',
  limit_members: 'conflict',
  limit_invitations: 'conflict',
  limit_organizations: 'conflict',
  storage_full: 'storage_full',
  upload_interrupted: 'invalid',
  account_email_taken: 'conflict',
  account_login_taken: 'conflict',
  sign_in_failed: 'unauthenticated',
  registration_closed: 'forbidden',
  person_owns: 'conflict',
  account_blocked: 'forbidden',
  account_unverified: 'forbidden',
  sign_in_expired: 'invalid',
  sign_in_refused: 'forbidden',
  sign_in_unavailable: 'unavailable',
  second_factor_code_wrong: 'invalid',
  identity_token_refused: 'unauthenticated',
  identity_token_used: 'unauthenticated',
  publisher_unknown: 'forbidden',
  webhook_not_found: 'not_found',
  webhook_message_not_found: 'not_found',
  webhook_limit: 'conflict',
  webhook_paused: 'conflict',
  webhook_url_refused: 'invalid',
  publisher_not_found: 'not_found',
  publisher_exists: 'conflict',
  publisher_limit: 'conflict',
  issuer_not_accepted: 'invalid',
  publish_not_allowed: 'forbidden',
  passkey_refused: 'unauthenticated',
  passkey_known: 'conflict',
  passkey_limit: 'conflict',
  passkeys_impossible: 'conflict',
  passkey_not_found: 'not_found',
  second_factor_is_on: 'conflict',
  second_factor_is_off: 'conflict',
  current_password_wrong: 'invalid',
  internal: 'internal',
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof KIND_OF_CODE;

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

/** Whether a text, such as the code of a problem document, is one of ours. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(KIND_OF_CODE, code);
}
