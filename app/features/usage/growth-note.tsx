import type { MessageDescriptor } from '@lingui/core';
import { msg, plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { IconArrowDownRight, IconArrowUpRight } from '@tabler/icons-react';
import type { Period } from '#server/services/usage/rules.ts';
import { type GrowthChange, growthChange } from './growth-change.ts';
import classes from './growth-note.module.css';

interface GrowthNoteProps {
  /** Null when a rate has no value. */
  now: number | null;
  before: number | null;
  /** The current period, which determines the comparison; `custom` for any other range of days. */
  period?: Period;
  /** The numbers are percents themselves, and change by points. */
  isRate?: boolean;
  /** Says only how much, when the comparison is stated once for all numbers. */
  isBrief?: boolean;
}

/**
 * One quiet line: how much more or less than before, and before what. Neither direction is good or bad, so
 * neither has a colour. Renders nothing when there is nothing to compare.
 */
export function GrowthNote(props: GrowthNoteProps) {
  const { now, before, period = 'month', isRate = false, isBrief = false } = props;
  const describeFully = useGrowthWords(period);
  const describeBriefly = useBriefGrowthWords();
  const change = growthChange(now, before, isRate);
  if (!change) return null;
  const Icon = iconOf(change);
  return (
    <Text size="xs" c="dimmed" className={classes.note}>
      {Icon && <Icon size={14} stroke={1.8} aria-hidden className={classes.icon} />}
      {isBrief ? describeBriefly(change) : describeFully(change)}
    </Text>
  );
}

function iconOf({ kind }: GrowthChange) {
  if (kind === 'same' || kind === 'new') return null;
  return kind === 'less' || kind === 'lower' ? IconArrowDownRight : IconArrowUpRight;
}

/** What a period is compared with, inside the sentences below. */
const BEFORE: Record<Period, MessageDescriptor> = {
  month: msg({ context: '12% more than …', message: 'the same time last month' }),
  week: msg({ context: '12% more than …', message: 'the same time last week' }),
  day: msg({ context: '12% more than …', message: 'the same time yesterday' }),
  custom: msg({ context: '12% more than …', message: 'the period before' }),
};

function useGrowthWords(period: Period): (change: GrowthChange) => string {
  const { t, i18n } = useLingui();
  const before = i18n._(BEFORE[period]);
  return (change) => {
    switch (change.kind) {
      case 'more':
      case 'less': {
        const percent = i18n.number(change.percent / 100, { style: 'percent' });
        return change.kind === 'more' ? t`${percent} more than ${before}` : t`${percent} less than ${before}`;
      }
      case 'higher':
      case 'lower': {
        const points = t`${plural(change.points, { one: '# point', other: '# points' })}`;
        return change.kind === 'higher'
          ? t`${points} higher than ${before}`
          : t`${points} lower than ${before}`;
      }
      case 'times': {
        const times = i18n.number(change.times);
        return t`${times} times as much as ${before}`;
      }
      case 'same':
        return t`No change from ${before}`;
      case 'new':
        return period === 'custom' ? t`Nothing in the period before` : t`Nothing at ${before}`;
    }
  };
}

function useBriefGrowthWords(): (change: GrowthChange) => string {
  const { t, i18n } = useLingui();
  return (change) => {
    switch (change.kind) {
      case 'more':
      case 'less': {
        const percent = i18n.number(change.percent / 100, { style: 'percent' });
        return change.kind === 'more' ? t`${percent} more` : t`${percent} less`;
      }
      case 'higher':
      case 'lower': {
        const points = t`${plural(change.points, { one: '# point', other: '# points' })}`;
        return change.kind === 'higher' ? t`${points} higher` : t`${points} lower`;
      }
      case 'times': {
        const times = i18n.number(change.times);
        return t`${times} times as much`;
      }
      case 'same':
        return t`No change`;
      case 'new':
        return t`Nothing before`;
    }
  };
}
