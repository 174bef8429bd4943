import { useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { formatDayRange } from '../../i18n/formats/format-day-range.ts';

/** The days that the numbers cover; a change is announced. */
export function RangeLine({ days }: { days: { start_date: string; end_date: string } }) {
  const { i18n } = useLingui();
  return (
    <Text size="sm" c="dimmed" role="status">
      {formatDayRange(days.start_date, days.end_date, i18n.locale)}
    </Text>
  );
}
