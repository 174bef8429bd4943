import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Membership } from '#server/services/organizations/schema.ts';
import { PERMISSION_NAMES } from '../../i18n/permission-names.ts';

/** Words what has become of a membership; null when it has ended. */
export function permissionNews(i18n: I18n, { organization }: Membership, now: Membership | null): string {
  const { name } = organization;
  if (!now) return i18n._(msg`You no longer have access to ${name}`);
  const permission = i18n._(PERMISSION_NAMES[now.permission]);
  return i18n._(msg`Your permission in ${name} is now: ${permission}`);
}
