import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { RANGE_DAYS_MAX } from '#server/services/usage/rules.ts';

import { DateField } from '../../../components/dates/date-field.tsx';
import { type DayRangeProblem, dayRangeProblem } from '../period-search.ts';

import classes from './day-range-form.module.css';

interface Days {
  start_date: string;
  end_date: string;
}

/** Two days to choose, both included; initially those that are shown. */
export function DayRangeForm(props: { days: Days | undefined; onDays: (days: Days) => void }) {
  const { t } = useLingui();
  const { days, onDays } = props;
  const { start_date: shownStart, end_date: shownEnd } = days ?? {};
  const [start, setStart] = useState(shownStart ?? '');
  const [end, setEnd] = useState(shownEnd ?? '');
  const [problem, setProblem] = useState<DayRangeProblem | null>(null);
  // Another period was chosen, or Back: the fields follow what is shown.
  useEffect(() => {
    if (shownStart === undefined || shownEnd === undefined) return;
    setStart(shownStart);
    setEnd(shownEnd);
    setProblem(null);
  }, [shownStart, shownEnd]);
  const problemId = useId();
  const words: Record<DayRangeProblem, string> = {
    start_missing: t`Choose the first day.`,
    end_missing: t`Choose the last day.`,
    order: t`The last day must not be before the first.`,
    too_long: t`Choose at most ${RANGE_DAYS_MAX} days.`,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = dayRangeProblem(start, end);
    setProblem(found);
    if (found === null) onDays({ start_date: start, end_date: end });
  };
  const isStartWrong = problem === 'start_missing';
  const isEndWrong = problem !== null && !isStartWrong;
  return (
    <form className={classes.form} onSubmit={submit} noValidate aria-label={t`Custom period`}>
      <div className={classes.fields}>
        <DateField
          label={t`First day`}
          isLabelHidden
          value={start}
          onChange={setStart}
          hasError={isStartWrong}
          describedBy={isStartWrong ? problemId : undefined}
        />
        <span aria-hidden>–</span>
        <DateField
          label={t`Last day`}
          isLabelHidden
          value={end}
          onChange={setEnd}
          hasError={isEndWrong}
          describedBy={isEndWrong ? problemId : undefined}
        />
        <Button type="submit" variant="default">
          <Trans>Apply</Trans>
        </Button>
      </div>
      <div id={problemId} className={classes.problem} role="alert">
        {problem !== null && words[problem]}
      </div>
    </form>
  );
}
