import type { I18n } from '@lingui/core';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { MINUTE_MS, SECOND_MS } from '#server/durations.ts';
import { formatTimeAgo } from '../../../components/dates/time-ago.tsx';

/** "Checked 5 seconds ago", counting while it is visible. Its line is there from the first paint, so that nothing below it moves. */
export function CheckedAgo({ instant }: { instant: string | undefined }) {
  const { i18n } = useLingui();
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  if (now === null || instant === undefined) return '\u00a0';
  const ago = formatAgo(instant, now, i18n);
  return (
    <time dateTime={instant}>
      <Trans>Checked {ago}</Trans>
    </time>
  );
}

/**
 * Returns the time that has passed, to the second in the first minute. A clock that is behind counts as now.
 */
function formatAgo(instant: string, now: number, i18n: I18n): string {
  const passed = Math.max(0, now - Date.parse(instant));
  if (passed >= MINUTE_MS) return formatTimeAgo(instant, now, i18n);
  const format = new Intl.RelativeTimeFormat(i18n.locale, { numeric: 'auto' });
  return format.format(-Math.round(passed / SECOND_MS), 'second');
}
