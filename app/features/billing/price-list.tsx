import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import {
  printedRateMillicents,
  USAGE_KINDS,
  type UsageKind,
} from '#server/services/billing/months/rating-rules.ts';
import type { BillingStatus } from '#server/services/billing/schema.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import classes from './price-list.module.css';
import { useRateMoney } from './use-money.ts';

const WORDS: Record<Exclude<UsageKind, 'storage'>, MessageDescriptor> = {
  site: msg`per active site, per month`,
  endpoint: msg`per CDN endpoint, per month`,
  bandwidth: msg`per GB of bandwidth`,
  requests: msg`per million HTTP requests`,
};

/** What things cost, before taxes. */
export function PriceList({ storagePrice }: { storagePrice: BillingStatus['storage_price'] }) {
  const { i18n } = useLingui();
  const money = useRateMoney();
  return (
    <dl className={classes.list}>
      {USAGE_KINDS.filter((kind) => kind !== 'storage').map((kind) => (
        <div key={kind} className={classes.price}>
          <dt>{money(printedRateMillicents(kind) / 1_000)}</dt>
          <dd>{i18n._(WORDS[kind])}</dd>
        </div>
      ))}
      {storagePrice && <StoragePrices price={storagePrice} />}
    </dl>
  );
}

function StoragePrices({ price }: { price: NonNullable<BillingStatus['storage_price']> }) {
  const { i18n } = useLingui();
  const money = useRateMoney();
  const { cents_per_gb_month: now, coming } = price;
  const from = coming && formatDate(coming.from, i18n.locale, { dateStyle: 'long' });
  return (
    <>
      {now > 0 && (
        <div className={classes.price}>
          <dt>{money(now)}</dt>
          <dd>
            <Trans>per GB stored in buckets, per month</Trans>
          </dd>
        </div>
      )}
      {coming && (
        <div className={classes.price}>
          <dt>{money(coming.cents_per_gb_month)}</dt>
          <dd>
            <Trans>per GB stored in buckets, per month, from {from}</Trans>
          </dd>
        </div>
      )}
    </>
  );
}
