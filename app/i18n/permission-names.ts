import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Permission } from '#server/services/organizations/rules.ts';

/** The values of a membership, capitalised as the switcher shows them (spec/console.md, section 2). */
export const PERMISSION_NAMES: Record<Permission, MessageDescriptor> = {
  read: msg({ message: 'Read', context: 'permission' }),
  write: msg({ message: 'Write', context: 'permission' }),
  admin: msg({ message: 'Admin', context: 'permission' }),
  owner: msg({ message: 'Owner', context: 'permission' }),
};
