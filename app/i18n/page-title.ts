import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ConsoleSettings } from '../request-context.ts';

const TITLES = {
  'sign-in': msg`Sign in`,
  dashboard: msg`Dashboard`,
  sites: msg`Sites`,
  cdn: msg`CDN`,
  credentials: msg`API credentials`,
  webhooks: msg`Webhooks`,
  storage: msg`Object storage`,
  billing: msg`Billing`,
  invoice: msg`Invoice`,
  onboarding: msg`Set up billing`,
  usage: msg`Usage`,
  audit: msg`Audit log`,
  settings: msg`Settings`,
  operator: msg`Operation`,
  register: msg`Create an account`,
  profile: msg`Profile`,
  'forgot-password': msg`Forgot your password?`,
  'reset-password': msg`Choose a new password`,
  'verify-email': msg`Confirm your email address`,
  'new-organization': msg`Create an organization`,
  invitation: msg`Invitation`,
  'not-found': msg`Page not found`,
  'report-abuse': msg`Report abuse`,
  'signed-in': msg`You are signed in`,
  terms: msg`Terms of service`,
  privacy: msg`Privacy policy`,
  'acceptable-use': msg`Acceptable use policy`,
} satisfies Record<string, MessageDescriptor>;

/**
 * Returns the title of a page about one item: its name; the text for a missing item; or the section, while
 * the item is loading and when loading has failed.
 */
export function titleOfOne(
  status: string,
  { name, missing, section }: { name: string | undefined; missing: string; section: keyof typeof TITLES },
): keyof typeof TITLES | { text: string } {
  if (name !== undefined) return { text: name };
  return status === 'notFound' ? { text: missing } : section;
}

/** Returns the title of a page with the product suffix, e.g. "Sites · Portage". */
export function pageTitle(
  context: { i18n: I18n; settings: ConsoleSettings },
  title: keyof typeof TITLES | { text: string },
): string {
  const text = typeof title === 'string' ? context.i18n._(TITLES[title]) : title.text;
  return `${text} · ${context.settings.productName}`;
}
