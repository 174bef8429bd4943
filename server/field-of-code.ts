import type { ErrorCode } from './error-codes.ts';

/**
 * The field of the request that an error is always about, by its name on the wire. Codes that several fields can cause
 * are not here: what throws them names the field.
 */
export const FIELD_OF_CODE: Partial<Record<ErrorCode, string>> = {
  organization_handle_taken: 'handle',
  feature_unknown: 'features',
  site_name_empty: 'name',
  site_name_reserved: 'name',
  site_name_taken: 'name',
  hostname_invalid: 'hostname',
  hostname_reserved: 'hostname',
  hostname_taken: 'hostname',
  hostname_unproven: 'hostname',
  hostname_resting: 'hostname',
  origin_unavailable: 'origin_type',
  endpoint_site_required: 'site_id',
  redirect_target_required: 'redirect_target',
  redirect_target_invalid: 'redirect_target',
  redirect_target_refused: 'redirect_target',
  redirect_loop: 'redirect_target',
  credential_name_required: 'name',
  scope_resource_not_found: 'scopes',
  bucket_name_taken: 'name',
  webhook_url_refused: 'url',
  issuer_not_accepted: 'issuer',
  account_email_taken: 'email',
  account_login_taken: 'login',
  current_password_wrong: 'current_password',
  second_factor_code_wrong: 'code',
};
