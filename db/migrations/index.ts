import type { Migration } from 'kysely/migration';
import * as m0001 from './0001-foundation.ts';
import * as m0002 from './0002-people-and-operators.ts';
import * as m0003 from './0003-endpoints-and-certificates.ts';
import * as m0004 from './0004-usage.ts';
import * as m0005 from './0005-limits-and-kept-versions.ts';
import * as m0006 from './0006-removal-of-content.ts';
import * as m0007 from './0007-stuck-work.ts';
import * as m0008 from './0008-audit-log.ts';
import * as m0009 from './0009-rule-sets.ts';
import * as m0010 from './0010-encoded-copies.ts';
import * as m0011 from './0011-billing.ts';
import * as m0012 from './0012-past-spending-limits.ts';
import * as m0013 from './0013-object-storage.ts';
import * as m0014 from './0014-bucket-emptyings.ts';
import * as m0015 from './0015-bucket-usage.ts';
import * as m0016 from './0016-who-may-come-in.ts';
import * as m0017 from './0017-operators-in-the-console.ts';
import * as m0018 from './0018-second-factor.ts';
import * as m0019 from './0019-passkeys.ts';
import * as m0020 from './0020-publishers.ts';
import * as m0021 from './0021-webhooks.ts';
import * as m0022 from './0022-abuse-reports.ts';
import * as m0023 from './0023-usage-by-day.ts';
import * as m0024 from './0024-storage-price.ts';
import * as m0025 from './0025-site-pictures.ts';
import * as m0026 from './0026-recent-deploys.ts';
import * as m0027 from './0027-buckets-by-clients.ts';
import * as m0028 from './0028-machines.ts';
import * as m0029 from './0029-public-buckets.ts';
import * as m0030 from './0030-public-access-blocks.ts';
import * as m0031 from './0031-small-content.ts';
import * as m0032 from './0032-unfinished-uploads.ts';
import * as m0033 from './0033-invoices-after-the-month.ts';
import * as m0034 from './0034-refunds-and-reasons.ts';
import * as m0035 from './0035-compact-bucket-changes.ts';
import * as m0036 from './0036-orders-of-large-lists.ts';
import * as m0037 from './0037-rejected-refunds.ts';
import * as m0038 from './0038-refunds-of-credit-notes.ts';
import * as m0039 from './0039-late-renewals.ts';
import * as m0040 from './0040-pieces-with-row-ids.ts';

/** Every migration in order. A landed migration is frozen. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-foundation': m0001,
  '0002-people-and-operators': m0002,
  '0003-endpoints-and-certificates': m0003,
  '0004-usage': m0004,
  '0005-limits-and-kept-versions': m0005,
  '0006-removal-of-content': m0006,
  '0007-stuck-work': m0007,
  '0008-audit-log': m0008,
  '0009-rule-sets': m0009,
  '0010-encoded-copies': m0010,
  '0011-billing': m0011,
  '0012-past-spending-limits': m0012,
  '0013-object-storage': m0013,
  '0014-bucket-emptyings': m0014,
  '0015-bucket-usage': m0015,
  '0016-who-may-come-in': m0016,
  '0017-operators-in-the-console': m0017,
  '0018-second-factor': m0018,
  '0019-passkeys': m0019,
  '0020-publishers': m0020,
  '0021-webhooks': m0021,
  '0022-abuse-reports': m0022,
  '0023-usage-by-day': m0023,
  '0024-storage-price': m0024,
  '0025-site-pictures': m0025,
  '0026-recent-deploys': m0026,
  '0027-buckets-by-clients': m0027,
  '0028-machines': m0028,
  '0029-public-buckets': m0029,
  '0030-public-access-blocks': m0030,
  '0031-small-content': m0031,
  '0032-unfinished-uploads': m0032,
  '0033-invoices-after-the-month': m0033,
  '0034-refunds-and-reasons': m0034,
  '0035-compact-bucket-changes': m0035,
  '0036-orders-of-large-lists': m0036,
  '0037-rejected-refunds': m0037,
  '0038-refunds-of-credit-notes': m0038,
  '0039-late-renewals': m0039,
  '0040-pieces-with-row-ids': m0040,
};
