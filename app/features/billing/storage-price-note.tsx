import { Trans, useLingui } from '@lingui/react/macro';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { trpc } from '../../trpc.ts';
import { useSettings } from '../../use-settings.ts';
import { useRateMoney } from './use-money.ts';

/** Says whether what buckets store is billed, and at which price. */
export function StoragePriceNote({ organizationId }: { organizationId: string }) {
  const { i18n } = useLingui();
  const money = useRateMoney();
  const isBilling = useSettings().billingMode !== 'off';
  const status = trpc.billing.status.useQuery({ organization_id: organizationId }, { enabled: isBilling });
  const price = status.data?.storage_price ?? null;
  if (price === null) return <Trans>What is stored is counted hour by hour and is not billed.</Trans>;
  const now = money(price.cents_per_gb_month);
  const later = money(price.coming?.cents_per_gb_month ?? 0);
  const from = price.coming && formatDate(price.coming.from, i18n.locale, { dateStyle: 'long' });
  return (
    <>
      {price.cents_per_gb_month > 0 ? (
        <Trans>
          What is stored is counted hour by hour and costs {now} per GB per month. Requests and transfers are
          not billed.
        </Trans>
      ) : (
        <Trans>What is stored is counted hour by hour and is not billed.</Trans>
      )}{' '}
      {price.coming && (
        <Trans>
          From {from} on, it costs {later} per GB per month.
        </Trans>
      )}
    </>
  );
}
