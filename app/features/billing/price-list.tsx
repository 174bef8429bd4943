import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { printedRateCents, USAGE_KINDS, type UsageKind } from '#server/services/billing/rating-rules.ts';
import classes from './price-list.module.css';

const WORDS: Record<UsageKind, MessageDescriptor> = {
  site: msg`per active site, per month`,
  endpoint: msg`per CDN endpoint, per month`,
  bandwidth: msg`per GB of bandwidth`,
  requests: msg`per million HTTP requests`,
};

/** What things cost, before taxes. */
export function PriceList() {
  const { i18n } = useLingui();
  const priceOf = (kind: UsageKind) =>
    i18n.number(printedRateCents(kind) / 100, { style: 'currency', currency: 'CAD' });
  return (
    <dl className={classes.list}>
      {USAGE_KINDS.map((kind) => (
        <div key={kind} className={classes.price}>
          <dt>{priceOf(kind)}</dt>
          <dd>{i18n._(WORDS[kind])}</dd>
        </div>
      ))}
    </dl>
  );
}
