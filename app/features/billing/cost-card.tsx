import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Cost } from '#server/services/billing/invoices/schema.ts';
import { isForecastSound } from '#server/services/billing/months/forecast-rules.ts';
import { monthStart } from '#server/services/billing/months/month-rules.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/page/section-card.tsx';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import classes from './cost-card.module.css';
import { linesOf } from './invoices/invoice-rows.ts';
import { useBillingWords } from './use-billing-words.ts';
import { useMoney } from './use-money.ts';

/** How often the cost is read again while the page is in view. */
const GROWING_MS = 60_000;

/** The current month's cost so far and its forecast, by item; calculated like the invoice. */
export function CostCard({ action }: { action?: ReactNode }) {
  const { organization } = useOrganization();
  const cost = trpc.billing.cost.useQuery(
    { organization_id: organization.id },
    { refetchInterval: GROWING_MS },
  );
  return (
    <SectionCard title={<Trans>Cost this month</Trans>} action={action}>
      {cost.isError && !cost.data && (
        <ErrorNotice onRetry={cost.refetch}>
          <Trans>Failed to load the cost of this month</Trans>
        </ErrorNotice>
      )}
      {cost.isPending && <CostSkeleton />}
      {cost.data && <CostFigures cost={cost.data} />}
    </SectionCard>
  );
}

function CostFigures({ cost }: { cost: Cost }) {
  const { i18n } = useLingui();
  const money = useMoney();
  const { kinds, monthOf } = useBillingWords();
  const start = monthStart({ year: cost.billing_year, month: cost.billing_month });
  const month = monthOf(cost);
  const lines = linesOf(cost);
  const taxes = cost.tax_details.reduce((sum, { amount }) => sum + amount, 0);
  const cut = money(cost.limit_cut_cents);
  const time = formatDate(cost.as_of, i18n.locale, { timeStyle: 'short' });
  return (
    <>
      <dl className={classes.figures}>
        <div>
          <dt>
            <Trans>To date</Trans>
          </dt>
          <dd className={classes.figure}>{money(cost.total_cents)}</dd>
        </div>
        <div>
          <dt>
            <Trans>Forecast for {month}</Trans>
          </dt>
          <dd className={classes.figure} data-quiet>
            {isForecastSound(start, Date.parse(cost.as_of)) ? money(cost.forecast_total_cents) : '–'}
          </dd>
        </div>
      </dl>
      {lines.length > 0 && (
        <dl className={classes.lines}>
          {lines.map((line) => (
            <div key={line.key}>
              <dt>
                {kinds[line.kind]}
                {line.lateMonth !== null && (
                  <>
                    {' '}
                    (
                    {monthOf({
                      billing_year: line.lateMonth.year,
                      billing_month: line.lateMonth.month,
                    })}
                    )
                  </>
                )}
              </dt>
              <dd>{money(line.amountCents)}</dd>
            </div>
          ))}
          {taxes > 0 && (
            <div>
              <dt>
                <Trans>Taxes</Trans>
              </dt>
              <dd>{money(taxes)}</dd>
            </div>
          )}
        </dl>
      )}
      <Text size="xs" c="dimmed" mt="sm">
        {isForecastSound(start, Date.parse(cost.as_of)) ? (
          <Trans>As of {time} UTC. The forecast assumes that usage continues at this rate.</Trans>
        ) : (
          <Trans>As of {time} UTC. A forecast appears on the second day of the month.</Trans>
        )}{' '}
        {cost.limit_cut_cents > 0 && <Trans>Spending limits have kept {cut} off the invoice.</Trans>}
      </Text>
    </>
  );
}

/** The numbers while they are loading. */
export function CostSkeleton() {
  const { t } = useLingui();
  return (
    <div role="status" aria-busy aria-label={t`Loading`}>
      <div className={classes.figures}>
        {[64, 110].map((width) => (
          <div key={width}>
            <Skeleton height={12} width={width} my={4} />
            <Skeleton height={22} width={110} my={6} />
          </div>
        ))}
      </div>
      <Skeleton height={12} width={320} maw="100%" mt="md" />
    </div>
  );
}
