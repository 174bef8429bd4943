import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  type Icon,
  IconBox,
  IconBrowser,
  IconBucket,
  IconCreditCard,
  IconKey,
  IconLayoutDashboard,
  IconRoute,
  IconWorld,
} from '@tabler/icons-react';

interface NavigationItem {
  label: MessageDescriptor;
  icon: Icon;
  /** Its page; absent for what is coming soon. */
  to?:
    | '/$orgId'
    | '/$orgId/sites'
    | '/$orgId/cdn'
    | '/$orgId/credentials'
    | '/$orgId/storage'
    | '/$orgId/billing';
  /** The feature that its page requires; without it, it is coming soon. */
  feature?: 'object_storage';
  /**
   * The section of addresses, after the organization, that belongs to the page without sharing its prefix.
   */
  section?: string;
}

/** The left navigation, in order. */
export const NAVIGATION_ITEMS: NavigationItem[] = [
  { label: msg`Dashboard`, icon: IconLayoutDashboard, to: '/$orgId' },
  { label: msg`Sites`, icon: IconBrowser, to: '/$orgId/sites' },
  { label: msg`CDN`, icon: IconWorld, to: '/$orgId/cdn', section: 'endpoints' },
  { label: msg`Credentials`, icon: IconKey, to: '/$orgId/credentials', section: 'webhooks' },
  { label: msg`DNS`, icon: IconRoute },
  { label: msg`Container apps`, icon: IconBox },
  { label: msg`Object storage`, icon: IconBucket, to: '/$orgId/storage', feature: 'object_storage' },
  { label: msg`Billing`, icon: IconCreditCard, to: '/$orgId/billing', section: 'usage' },
];
