import { Trans, useLingui } from '@lingui/react/macro';
import { Skeleton, Text } from '@mantine/core';
import { limitState } from '#server/services/limits/rules.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/page/section-card.tsx';
import { useOrganization } from '../organizations/use-organization.ts';
import { ShareBar } from '../usage/table/share-bar.tsx';
import { LimitAmount } from './limit-amount.tsx';
import { LIMIT_WORDS } from './limit-words.ts';
import classes from './limits-card.module.css';
import { useLimits } from './use-limits.ts';

/** Each limit of the organization with its use, and what to do when one is close. */
export function LimitsCard() {
  const { i18n } = useLingui();
  const { organization } = useOrganization();
  const limits = useLimits(organization.id);
  return (
    <SectionCard
      title={<Trans>Limits</Trans>}
      description={<Trans>What this organization uses now, and what it is allowed.</Trans>}
    >
      {limits.isPending && <Skeleton height={180} />}
      {limits.isError && (
        <ErrorNotice onRetry={limits.refetch}>
          <Trans>Failed to load the limits</Trans>
        </ErrorNotice>
      )}
      {limits.data && (
        <dl className={classes.list}>
          {limits.data.map((use) => (
            <div key={use.name} className={classes.limit}>
              <dt>
                <span>{i18n._(LIMIT_WORDS[use.name].title)}</span>
                <span className={classes.amount}>
                  <LimitAmount use={use} />
                </span>
              </dt>
              <dd>
                <ShareBar part={Math.min(use.used, use.limit)} whole={use.limit} />
                {limitState(use) !== 'far' && (
                  <Text size="xs" mt={4}>
                    {i18n._(LIMIT_WORDS[use.name].advice)}
                  </Text>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </SectionCard>
  );
}
