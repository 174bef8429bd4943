import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ErrorCode } from '#server/error-codes.ts';
import { FORESEEN_MESSAGES } from './foreseen-messages.ts';

/**
 * The console's text for every error code, exhaustive by type: a new code without a text does not compile.
 * The placeholders are the error's parameters.
 */
export const ERROR_MESSAGES: Record<ErrorCode, MessageDescriptor> = {
  ...FORESEEN_MESSAGES,
  invalid_input: msg`Some values are not valid. Check the form and try again.`,
  unauthenticated: msg`You are signed out. Sign in and try again.`,
  credential_invalid: msg`The credential is unknown, expired or inactive.`,
  cross_site_request: msg`The request did not come from this console. Reload the page and try again.`,
  permission_required: msg({ message: 'You need the {permission} permission in this organization.' }),
  person_required: msg`Only a signed-in person may do this.`,
  operator_required: msg`Only an operator of this installation may do this.`,
  out_of_scope: msg`The credential does not give access to this resource.`,
  not_found: msg`Nothing was found at this address.`,
  organization_not_found: msg`Unknown Organization`,
  member_not_found: msg`This person is no longer a member.`,
  invitation_not_found: msg`This invitation has already been used, was revoked or has expired. Ask for a new one.`,
  site_not_found: msg`Site not found`,
  bucket_not_found: msg`Bucket not found`,
  upload_not_found: msg`Upload not found: it has been completed or abandoned.`,
  object_not_found: msg`This object no longer exists.`,
  version_not_found: msg`This version no longer exists.`,
  credential_not_found: msg`This credential no longer exists.`,
  session_not_found: msg`This session has already ended.`,
  method_not_allowed: msg`This address does not support that method.`,
  unsupported_media_type: msg`This kind of content is not accepted.`,
  too_many_requests: msg({
    message: 'Too many attempts. Try again in {wait}.',
  }),
  organization_busy: msg({
    message: 'Too many deploys of this organization are waiting. Try again in {wait}.',
  }),
  conflict: msg`Someone else changed this at the same time. Reload the page and try again.`,
  idempotency_key_reused: msg`This was sent before with other content. Reload the page and try again.`,
  idempotency_request_running: msg`This request is already being processed.`,
  idempotency_outcome_unknown: msg`The request was interrupted. Reload the page to see whether it was carried out.`,
  billing_required: msg`Set up billing for this organization first.`,
  billing_off: msg`Nothing is billed on this installation.`,
  billing_customer_not_found: msg`No billing customer found`,
  payment_method_not_found: msg`This payment method no longer exists.`,
  payment_method_limit: msg({
    message:
      'This organization may have {limit, plural, one {# payment method} other {# payment methods}}. Remove one first.',
  }),
  setup_not_found: msg`The card was not saved. Enter it again.`,
  setup_incomplete: msg`Failed to verify payment method`,
  invoice_not_found: msg`Invoice Not Found`,
  spending_limit_not_found: msg`This spending limit no longer exists.`,
  invoice_not_open: msg`This invoice is not awaiting payment.`,
  invoice_partly_paid: msg`A part of this invoice was paid.`,
  invoice_link_invalid: msg`This link to an invoice is unknown or has expired.`,
  credit_too_large: msg`The credit cannot exceed what is left of the invoice.`,
  credit_refused: msg`The payment provider refused the credit. Nothing was credited.`,
  refund_not_rejected: msg`No bank has rejected a refund of this invoice.`,
  refund_too_large: msg`The refund cannot exceed what a card has paid of the invoice.`,
  credit_leaves_too_little: msg`What is left of the invoice would be too little to charge to a card.`,
  month_open: msg({ message: 'The month {month} is still open: it closes 24 hours after its end.' }),
  payments_unavailable: msg`The payment provider is not responding right now. Nothing was lost; try again in a moment.`,
  webhook_refused: msg`The delivery is not signed by the payment provider.`,
  organization_is_personal: msg`A personal workspace has no other members.`,
  organization_managed_elsewhere: msg`This organization is managed by your identity service. Change it there.`,
  organization_handle_taken: msg({ message: 'The short name {handle} is taken.' }),
  organization_not_empty: msg`Delete the sites, endpoints, buckets and credentials of the organization first.`,
  already_member: msg`You are already a member of this organization.`,
  mail_not_configured: msg`This installation does not send email. Ask its operator.`,
  mail_link_invalid: msg`This link has already been used or has expired. Ask for a new one.`,
  feature_unknown: msg({ message: 'There is no feature {feature}.' }),
  site_name_empty: msg`The name must contain at least one letter or digit (a-z, 0-9).`,
  site_name_reserved: msg({ message: 'The name {name} is reserved. Try {suggestion}.' }),
  site_name_taken: msg({ message: 'The name {name} is taken. Try {suggestion}.' }),
  endpoint_not_found: msg`CDN endpoint not found`,
  bundle_not_found: msg`This certificate no longer exists.`,
  bundle_exists: msg`The endpoint already has a certificate.`,
  hostname_invalid: msg`This hostname cannot be used. Enter one such as www.example.ca.`,
  hostname_reserved: msg({
    message: 'The hostname {hostname} belongs to this installation. Choose one of your own domain.',
  }),
  hostname_taken: msg({ message: 'The hostname {hostname} is in use by another endpoint.' }),
  hostname_unproven: msg({
    message:
      'Another organization has added {hostname} without proving that it owns it. Add the record below: the hostname is yours as soon as we see the record.',
  }),
  hostname_resting: msg({
    message:
      'The hostname {hostname} was recently removed by another organization. It becomes available again on {until}.',
  }),
  endpoint_limit: msg({
    message:
      '{limit} endpoints are still waiting for their DNS records. Add those records first, or delete some endpoints.',
  }),
  origin_unavailable: msg`This origin is not available yet.`,
  endpoint_site_required: msg`Choose a site.`,
  redirect_target_required: msg`Enter the address to redirect to.`,
  redirect_target_invalid: msg`Enter a full address such as https://example.ca/path.`,
  redirect_target_refused: msg({
    message:
      'On this installation, redirects can point only to hosts under {suffix} and to your organization’s own hostnames.',
  }),
  redirect_loop: msg`An endpoint cannot redirect to itself.`,
  challenge_record_missing: msg({
    message: 'The record {name} does not point to {target} yet. Set it, then try again.',
  }),
  caa_forbids: msg({
    message:
      'The CAA records of {name} do not allow {authority} to issue certificates. Add a record that does, then try again.',
  }),
  dns_unavailable: msg({
    message: 'The records of {name} could not be looked up. Try again in a minute.',
  }),
  certificate_limit: msg`The certificate authority is not accepting more requests for now. We will try again automatically.`,
  certificate_unavailable: msg`The certificate authority is not responding. We will try again automatically.`,
  certificate_failed: msg({ message: 'The certificate could not be issued: {reason}' }),
  scope_resource_not_found: msg`One of the selected resources no longer exists.`,
  version_sealed: msg`This version is sealed and can no longer change.`,
  version_not_sealed: msg`This version has not been fully uploaded yet.`,
  version_incomplete: msg({
    message:
      '{count, plural, one {# file is still missing: {path}.} other {# files are still missing, the first is {path}.}}',
  }),
  manifest_incomplete: msg`The list of files did not arrive completely. Deploy again.`,
  version_is_current: msg`This version is already the current one.`,
  version_suspended: msg`The operator has suspended this version; it cannot be made current.`,
  version_reverted: msg`This version was reverted and cannot be made current.`,
  unsafe_path: msg({ message: 'The path {path} cannot be deployed: {problem}.' }),
  path_under_file: msg({
    message: 'The path {path} needs a folder where {other} is a file. Rename one of them.',
  }),
  file_differs: msg({ message: 'The file {path} changed while it was being deployed. Deploy again.' }),
  version_being_sealed: msg`This version is already being published. Reload in a moment.`,
  path_repeated: msg({ message: 'The path {path} is listed more than once.' }),
  path_collision: msg({ message: 'The paths {path} and {other} differ only by case.' }),
  hash_mismatch: msg({ message: 'The content of {path} changed in transit. Deploy again.' }),
  size_mismatch: msg({ message: 'The content of {path} changed in transit. Deploy again.' }),
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
  service_unavailable: msg`The service is not available right now. Try again in a moment.`,
  feature_missing: msg`This organization does not have object storage.`,
  bucket_name_taken: msg({ message: 'The name {name} is taken. Choose another one.' }),
  bucket_not_active: msg`The bucket can be changed only while it is active.`,
  public_access_blocked: msg`An S3 client has blocked public access to this bucket. Remove the block with DeletePublicAccessBlock first.`,
  limit_buckets: msg({
    message:
      'This organization may have {limit, plural, one {# bucket} other {# buckets}}. Delete some, or ask the operator of this installation for more.',
  }),
  limit_bucket_bytes: msg({
    message:
      'The buckets of this organization may hold {limit}. Delete objects, or ask the operator of this installation for more.',
  }),
  limit_bucket_objects: msg({
    message:
      'The buckets of this organization may hold {limit, plural, one {# object} other {# objects}}. Delete some, or ask the operator of this installation for more.',
  }),
  limit_sites: msg({
    message:
      'This organization may have {limit, plural, one {# site} other {# sites}}; deleted ones count for seven days. Delete some, or ask the operator of this installation for more.',
  }),
  limit_versions: msg({
    message:
      'This organization may keep {limit, plural, one {# version} other {# versions}}. Keep fewer old versions in the settings of its sites, or ask the operator of this installation for more.',
  }),
  limit_open_versions: msg({
    message:
      'This organization may have {limit, plural, one {# deploy} other {# deploys}} under way at once. Wait until some are done; abandoned ones end after a day.',
  }),
  limit_stored_files: msg({
    message:
      'All versions of this organization together may hold {limit, plural, one {# file} other {# files}}. Keep fewer old versions in the settings of its sites, or ask the operator of this installation for more.',
  }),
  limit_stored_bytes: msg({
    message:
      'This organization may store {limit}, and this deploy would exceed that. Keep fewer old versions in the settings of its sites, delete sites, or ask the operator of this installation for more.',
  }),
  limit_endpoints: msg({
    message:
      'This organization may have {limit, plural, one {# endpoint} other {# endpoints}}. Delete some, or ask the operator of this installation for more.',
  }),
  limit_credentials: msg({
    message:
      'This organization may have {limit, plural, one {# credential} other {# credentials}}. Delete some, or ask the operator of this installation for more.',
  }),
  limit_members: msg({
    message:
      'This organization may have {limit, plural, one {# member} other {# members}}. An administrator can make room for you.',
  }),
  limit_invitations: msg({
    message:
      'This organization may have {limit, plural, one {# open invitation} other {# open invitations}}. Revoke some, or wait until some are used.',
  }),
  limit_organizations: msg({
    message:
      'You may own {limit, plural, one {# organization} other {# organizations}}. Delete one, or make someone else its owner.',
  }),
  storage_full: msg`The disk is full. Nothing was lost and the live site is untouched; try again later.`,
  upload_interrupted: msg`The upload was interrupted. Deploy again: what has arrived is kept.`,
  account_email_taken: msg`An account with this email address already exists. Sign in instead.`,
  account_login_taken: msg({ message: 'The user name {login} is taken.' }),
  sign_in_failed: msg`The email address or the password is wrong.`,
  abuse_report_not_found: msg`The report does not exist.`,
  person_not_found: msg`There is no person with that ID, user name or email address.`,
  person_owns: msg({
    message: 'There is no other owner of {names}. Name a new owner, or choose to delete everything.',
  }),
  registration_closed: msg`You do not have an account here. Ask the operator of this installation for one, or for an invitation.`,
  account_blocked: msg`This account is blocked. Ask the operator of this installation why.`,
  account_unverified: msg`First open the link that we sent to your email address. If it had expired, we have just sent you another one.`,
  sign_in_expired: msg`This sign-in took too long or was already used. Start again.`,
  sign_in_refused: msg`The identity service refused the sign-in.`,
  sign_in_unavailable: msg`The identity service cannot be reached. Try again in a moment.`,
  second_factor_code_wrong: msg`The code is wrong, has expired or has already been used.`,
  identity_token_refused: msg`The identity token is refused: {reason}.`,
  identity_token_used: msg`The identity token has already been used. Request a new one.`,
  publisher_unknown: msg`No site {site} trusts this run: issuer {issuer}, repository {repository}, branch {branch}, environment {environment}. Add the repository to the site, on its page under “Deploy from CI”.`,
  webhook_not_found: msg`The webhook was not found.`,
  webhook_message_not_found: msg`The event was not found. Events are kept for 30 days.`,
  webhook_limit: msg`An organization can have at most {max} webhooks.`,
  webhook_paused: msg`The webhook is paused. Resume it first.`,
  webhook_url_refused: msg`Events can be sent only to https addresses on the public internet, without a user name. The operator can allow other networks (WEBHOOK_NETWORKS).`,
  publisher_not_found: msg`The repository is not trusted here.`,
  publisher_exists: msg`This repository and branch are already trusted.`,
  publisher_limit: msg`A site can trust at most {max} repositories and branches.`,
  issuer_not_accepted: msg`This installation does not accept identity tokens from {issuer}. Its operator chooses the issuers (CI_ISSUERS).`,
  publish_not_allowed: msg`This run can create previews only. Deploy without publishing, or change the settings of the site.`,
  passkey_refused: msg`The passkey was not accepted. It may have been removed from the account, or the request may have timed out.`,
  passkey_known: msg`This passkey is already in use.`,
  passkey_limit: msg`An account can have at most {max} passkeys.`,
  passkeys_impossible: msg`Passkeys work only at an https address with a domain name, or on localhost.`,
  passkey_not_found: msg`The passkey does not exist.`,
  second_factor_is_on: msg`Two-step sign-in is already on.`,
  second_factor_is_off: msg`Two-step sign-in is off. Set it up first.`,
  current_password_wrong: msg`The current password is wrong.`,
};
