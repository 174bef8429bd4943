import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ErrorCode } from '#server/error-codes.ts';

/** The texts of refusals that pages foresee, and the general one. They are always loaded; error-messages.ts has all others. */
export const FORESEEN_MESSAGES = {
  organization_suspended: msg`This organization is suspended: you can view everything but change nothing.`,
  last_owner: msg`An organization needs at least one owner. Make another member an owner first.`,
  permission_not_grantable: msg`Only an owner can appoint owners or change their permission.`,
  site_has_endpoints: msg({
    id: 'sites.cannotDeleteWithEndpoints',
    message: 'Cannot delete site with active CDN endpoints. Please delete all CDN endpoints first.',
  }),
  credential_name_required: msg({
    id: 'credentials.createForm.nameRequired',
    message: 'Please enter a name for the credential',
  }),
  internal: msg`Something went wrong on our side. Try again in a moment.`,
} satisfies Partial<Record<ErrorCode, MessageDescriptor>>;
