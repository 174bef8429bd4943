import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { type LimitName, limitState } from '#server/services/limits/rules.ts';
import { lazyPart } from '../../components/lazy-parts/lazy-part.tsx';
import { useLimits } from './use-limits.ts';

/** Few organizations are near a limit: its words come when one is. */
const LimitAlert = lazyPart(() => import('./limit-alert.tsx'), { isQuiet: true });

interface LimitNoticeProps {
  organizationId: string;
  of: readonly LimitName[];
}

/**
 * Says on the relevant page that a limit of an organization is close, and what can be done; renders nothing
 * otherwise. The lists load what it needs before they are shown, so that it moves none of them.
 */
export function LimitNotice({ organizationId, of }: LimitNoticeProps) {
  const { data = [] } = useLimits(organizationId);
  const near = data.filter((use) => of.includes(use.name) && limitState(use) !== 'far');
  if (near.length === 0) return null;
  return (
    <Suspense fallback={<Skeleton height={120} mb="lg" />}>
      <LimitAlert near={near} />
    </Suspense>
  );
}
