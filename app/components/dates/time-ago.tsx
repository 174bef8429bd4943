import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { formatDate } from '#server/services/shared/date-rules.ts';

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Returns "3 hours ago" or "in 3 hours" in the chosen language; below a minute, "just now" or "in a moment". */
export function formatTimeAgo(instant: string, now: number, i18n: I18n): string {
  const difference = new Date(instant).getTime() - now;
  const step = STEPS.find(([, ms]) => Math.abs(difference) >= ms);
  if (!step) return difference > 0 ? i18n._(msg`in a moment`) : i18n._(msg`just now`);
  const format = new Intl.RelativeTimeFormat(i18n.locale, { numeric: 'auto' });
  return format.format(Math.round(difference / step[1]), step[0]);
}

/** A time as people say it, with the exact time on hover and for assistive technology. */
export function TimeAgo({ instant }: { instant: string }) {
  const { i18n } = useLingui();
  const exact = formatDate(instant, i18n.locale, { dateStyle: 'long', timeStyle: 'short' });
  // The first paint shows the date, the same on the server and in the browser; the relative time follows.
  const [text, setText] = useState(() => formatDate(instant, i18n.locale, { dateStyle: 'medium' }));
  useEffect(() => {
    const update = () => setText(formatTimeAgo(instant, Date.now(), i18n));
    update();
    const timer = setInterval(update, 60_000);
    return () => clearInterval(timer);
  }, [instant, i18n, i18n.locale]);
  return (
    // The browser's own tooltip: a styled one would bring a positioning library into every first page.
    <time dateTime={instant} title={`${exact} UTC`}>
      {text}
    </time>
  );
}
