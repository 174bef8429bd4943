import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** Synonyms of an entry, by its id: searched but never shown. */
export const PALETTE_KEYWORDS: Record<string, MessageDescriptor> = {
  'page /$orgId': msg({ message: 'home overview start', context: 'search words' }),
  'page /$orgId/sites': msg({ message: 'website web project page', context: 'search words' }),
  'page /$orgId/cdn': msg({
    message: 'domain hostname certificate TLS SSL https endpoint DNS',
    context: 'search words',
  }),
  'page /$orgId/credentials': msg({ message: 'token API key secret access', context: 'search words' }),
  'page /$orgId/webhooks': msg({
    message: 'notification event hook chat integration',
    context: 'search words',
  }),
  'page /$orgId/storage': msg({ message: 'bucket S3 files objects', context: 'search words' }),
  'page /$orgId/usage': msg({ message: 'traffic statistics bandwidth requests', context: 'search words' }),
  'page /$orgId/billing': msg({
    message: 'invoice payment card price cost spending limit tax',
    context: 'search words',
  }),
  'page /$orgId/audit': msg({ message: 'history activity events who', context: 'search words' }),
  'page /$orgId/settings': msg({ message: 'preferences language sessions account', context: 'search words' }),
  'page profile': msg({
    message: 'account password email name passkey two-step 2FA security',
    context: 'search words',
  }),
  'create endpoint': msg({ message: 'create domain endpoint certificate CDN', context: 'search words' }),
  'create credential': msg({ message: 'new token API key secret', context: 'search words' }),
  'create site': msg({ message: 'new website project', context: 'search words' }),
  'create bucket': msg({ message: 'new storage S3', context: 'search words' }),
  'download usage': msg({ message: 'export file table spreadsheet', context: 'search words' }),
  'download audit': msg({ message: 'export file table history', context: 'search words' }),
  'download invoice': msg({ message: 'export file PDF bill receipt', context: 'search words' }),
  'delete credential': msg({ message: 'remove revoke token API key', context: 'search words' }),
  'delete bucket': msg({ message: 'remove empty erase storage S3', context: 'search words' }),
  'rename profile': msg({ message: 'rename profile account', context: 'search words' }),
  'rename organization': msg({ message: 'edit name team company', context: 'search words' }),
  members: msg({ message: 'team people invite users', context: 'search words' }),
  'new organization': msg({ message: 'create team company invite members', context: 'search words' }),
  light: msg({ message: 'theme mode appearance bright', context: 'search words' }),
  dark: msg({ message: 'theme mode appearance night', context: 'search words' }),
  system: msg({ message: 'theme mode appearance automatic', context: 'search words' }),
  'sign out': msg({ message: 'logout log off signout exit leave', context: 'search words' }),
  'language en-CA': msg({ message: 'language english', context: 'search words' }),
  'language fr-CA': msg({ message: 'language french', context: 'search words' }),
  'documentation api': msg({ message: 'docs help reference REST OpenAPI manual', context: 'search words' }),
};
