import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ErrorCode } from '#server/error-codes.ts';

/**
 * The console's words for every error code, exhaustive by type: a new code without words does not compile. Parameters of
 * the error are the placeholders.
 */
export const ERROR_MESSAGES: Record<ErrorCode, MessageDescriptor> = {
  invalid_input: msg`Some values are not valid. Check the form and try again.`,
  unauthenticated: msg`You are signed out. Sign in and try again.`,
  credential_invalid: msg`The credential is unknown, expired or inactive.`,
  cross_site_request: msg`The request did not come from this console. Reload the page and try again.`,
  permission_required: msg({ message: 'You need the permission {permission} in this organization.' }),
  person_required: msg`Only a signed-in person may do this.`,
  out_of_scope: msg`The credential does not reach this resource.`,
  not_found: msg`Nothing was found at this address.`,
  organization_not_found: msg`Unknown Organization`,
  site_not_found: msg`Site not found`,
  version_not_found: msg`This version does not exist any more.`,
  credential_not_found: msg`This credential does not exist any more.`,
  session_not_found: msg`This session has already ended.`,
  method_not_allowed: msg`This address does not support that method.`,
  unsupported_media_type: msg`This kind of content is not accepted.`,
  too_many_requests: msg({
    message: 'Too many attempts. Try again in {seconds, plural, one {# second} other {# seconds}}.',
  }),
  conflict: msg`Somebody changed this at the same moment. Reload and try again.`,
  idempotency_key_reused: msg`This request is already being worked on.`,
  billing_required: msg`Set up billing for this organization first.`,
  site_name_empty: msg`The name must contain at least one letter or digit (a-z, 0-9).`,
  site_name_reserved: msg({ message: 'The name {name} is reserved. Try {suggestion}.' }),
  site_name_taken: msg({ message: 'The name {name} is taken. Try {suggestion}.' }),
  site_has_endpoints: msg({
    id: 'sites.cannotDeleteWithEndpoints',
    message: 'Cannot delete site with active CDN endpoints. Please delete all CDN endpoints first.',
  }),
  credential_name_required: msg({
    id: 'credentials.createForm.nameRequired',
    message: 'Please enter a name for the credential',
  }),
  scope_resource_not_found: msg`One of the chosen resources does not exist any more.`,
  version_sealed: msg`This version is sealed and can no longer change.`,
  version_not_sealed: msg`This version has not been fully uploaded yet.`,
  version_incomplete: msg({
    message:
      '{count, plural, one {# file is still missing: {path}.} other {# files are still missing, the first is {path}.}}',
  }),
  version_is_current: msg`This version is already the current one.`,
  version_reverted: msg`This version was reverted and cannot be made current.`,
  unsafe_path: msg({ message: 'The path {path} cannot be deployed: {problem}.' }),
  path_collision: msg({ message: 'The paths {path} and {other} differ only by case.' }),
  hash_mismatch: msg({ message: 'The content of {path} changed on the way. Deploy again.' }),
  size_mismatch: msg({ message: 'The content of {path} changed on the way. Deploy again.' }),
  blob_not_expected: msg`A file was sent that does not belong to this version.`,
  manifest_empty: msg`There is nothing to deploy: the folder has no files.`,
  archive_invalid: msg`The archive cannot be read: it is damaged, or it is not a zip, tar or tar.gz file.`,
  archive_entry_refused: msg({
    message: 'The archive entry {path} is refused: only plain files inside the site can be deployed.',
  }),
  limit_files: msg({ message: 'A version holds at most {limit, plural, one {# file} other {# files}}.' }),
  limit_file_bytes: msg({ message: 'The file {path} is larger than {limit}.' }),
  limit_version_bytes: msg({ message: 'A version holds at most {limit}.' }),
  limit_body_bytes: msg({ message: 'The request is larger than {limit}.' }),
  storage_full: msg`The disk is full. Nothing was lost and the live site is untouched; try again later.`,
  upload_interrupted: msg`The upload was interrupted. Deploy again: what has arrived is kept.`,
  account_email_taken: msg`An account with this email address exists already. Sign in instead.`,
  account_login_taken: msg({ message: 'The user name {login} is taken.' }),
  sign_in_failed: msg`The email address or the password is wrong.`,
  sign_in_expired: msg`This sign-in took too long or was already used. Start again.`,
  sign_in_refused: msg`The identity service refused the sign-in.`,
  sign_in_unavailable: msg`The identity service cannot be reached. Try again in a moment.`,
  current_password_wrong: msg`The current password is wrong.`,
  internal: msg`Something went wrong on our side. Try again in a moment.`,
};
