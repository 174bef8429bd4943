import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Permission } from '#server/services/organizations/rules.ts';

/** The permissions of a membership, capitalized as the switcher shows them. */
export const PERMISSION_NAMES: Record<Permission, MessageDescriptor> = {
  read: msg({ message: 'Read', context: 'permission' }),
  write: msg({ message: 'Write', context: 'permission' }),
  admin: msg({ message: 'Admin', context: 'permission' }),
  owner: msg({ message: 'Owner', context: 'permission' }),
};
