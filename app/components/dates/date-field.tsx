import { useLingui } from '@lingui/react/macro';
import { ActionIcon, Popover, Skeleton, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../lazy-parts/lazy-part.tsx';
import { type IsoDay, readDay } from './month-grid.ts';

/** Of `2026-11-25`. */
const WRITTEN_LENGTH = 10;

const MonthCalendar = lazyPart(() => import('./month-calendar.tsx'));

/**
 * A field for a day, typed as Canadians write it in both languages (2026-11-25) or chosen from a calendar in the reader's own. `value`
 * is empty for none; what is no day is taken back when the field is left.
 */
export function DateField(props: {
  /** Above the field, or for assistive technology alone with `isLabelHidden`. */
  label: string;
  isLabelHidden?: boolean;
  value: IsoDay | '';
  onChange: (day: IsoDay | '') => void;
  hasError?: boolean;
  describedBy?: string | undefined;
}) {
  const { t } = useLingui();
  const { label, isLabelHidden = false, value, onChange, hasError = false, describedBy } = props;
  const [text, setText] = useState<string>(value);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setText(value), [value]);
  const take = (day: IsoDay | '' | null) => {
    if (day !== null && day !== value) onChange(day);
  };
  const type = (typed: string) => {
    setText(typed);
    // 2026-1-1 may become 2026-1-15: a day without its zeros is read when the field is left.
    if (typed === '') take('');
    else if (typed.trim().length === WRITTEN_LENGTH) take(readDay(typed));
  };
  const finish = () => {
    const day = readDay(text);
    setText(day ?? (text.trim() === '' ? '' : value));
    take(day);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      withRoles={false}
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <TextInput
          label={isLabelHidden ? undefined : label}
          aria-label={isLabelHidden ? label : undefined}
          placeholder={t`yyyy-mm-dd`}
          inputMode="numeric"
          autoComplete="off"
          // As wide as a day; in a grid, as wide as its column.
          w="100%"
          style={{ flex: '0 1 9.5rem' }}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
          onBlur={finish}
          onKeyDown={(event) => event.key === 'Enter' && finish()}
          error={hasError}
          aria-describedby={describedBy}
          rightSection={
            <ActionIcon
              aria-label={t`Choose from a calendar: ${label}`}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              <IconCalendar size={17} stroke={1.6} aria-hidden />
            </ActionIcon>
          }
        />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label}>
        <Suspense fallback={<Skeleton width={260} height={270} />}>
          <MonthCalendar
            chosen={value === '' ? null : value}
            today={new Date().toISOString().slice(0, 10)}
            onChoose={(day) => {
              onChange(day);
              setOpen(false);
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
