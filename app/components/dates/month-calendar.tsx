import { useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { formatDate } from '#server/services/shared/date-rules.ts';
import classes from './month-calendar.module.css';
import { addDays, addMonths, type IsoDay, weeksOfMonth } from './month-grid.ts';

/** A Sunday: weekdays take their names from the week after it. */
const SUNDAY = '2026-11-01';

/** A month to choose a day from, in the reader's language: by pointer, or by arrows, Page Up and Page Down. */
export default function MonthCalendar(props: {
  chosen: IsoDay | null;
  today: IsoDay;
  onChoose: (day: IsoDay) => void;
}) {
  const { t, i18n } = useLingui();
  const { chosen, today, onChoose } = props;
  const [at, setAt] = useState(chosen ?? today);
  const grid = useRef<HTMLTableElement>(null);
  const hasMoved = useRef(true);
  useEffect(() => {
    if (!hasMoved.current) return;
    hasMoved.current = false;
    grid.current?.querySelector<HTMLElement>(`[data-day="${at}"]`)?.focus();
  }, [at]);
  const word = (day: IsoDay, options: Intl.DateTimeFormatOptions) => formatDate(day, i18n.locale, options);
  const move = (event: KeyboardEvent) => {
    const target = KEYS[event.key]?.(at);
    if (target === undefined) return;
    event.preventDefault();
    hasMoved.current = true;
    setAt(target);
  };
  return (
    <>
      <div className={classes.head}>
        <ActionIcon aria-label={t`Previous month`} onClick={() => setAt(addMonths(at, -1))}>
          <IconChevronLeft size={18} aria-hidden />
        </ActionIcon>
        <span className={classes.month} aria-live="polite">
          {word(at, { month: 'long', year: 'numeric' })}
        </span>
        <ActionIcon aria-label={t`Next month`} onClick={() => setAt(addMonths(at, 1))}>
          <IconChevronRight size={18} aria-hidden />
        </ActionIcon>
      </div>
      <table ref={grid} className={classes.grid} onKeyDown={move}>
        <thead>
          <tr>
            {weeksOfMonth(SUNDAY)[0]?.map(
              (day) =>
                day && (
                  <th key={day} scope="col" abbr={word(day, { weekday: 'long' })}>
                    {word(day, { weekday: 'narrow' })}
                  </th>
                ),
            )}
          </tr>
        </thead>
        <tbody>
          {weeksOfMonth(at).map((week) => (
            <tr key={week.find((day) => day !== null)}>
              {week.map((day, weekday) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: days outside the month are null, and a weekday is its place in the week.
                <td key={weekday}>
                  {day && (
                    <button
                      type="button"
                      className={classes.day}
                      data-day={day}
                      data-autofocus={day === at || undefined}
                      tabIndex={day === at ? 0 : -1}
                      aria-pressed={day === chosen}
                      aria-current={day === today ? 'date' : undefined}
                      aria-label={word(day, { dateStyle: 'full' })}
                      onClick={() => onChoose(day)}
                    >
                      {word(day, { day: 'numeric' })}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const KEYS: Record<string, (day: IsoDay) => IsoDay> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
};
