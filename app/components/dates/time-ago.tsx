import type { I18n } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { formatSpan } from './span-of-time.ts';

const MINUTE_MS = 60_000;

/** Returns "3 hours ago" or "in 3 hours" in the chosen language; below a minute, "just now" or "in a moment". */
export function formatTimeAgo(instant: string, now: number, i18n: I18n): string {
  const difference = new Date(instant).getTime() - now;
  if (Math.abs(difference) >= MINUTE_MS) return formatSpan(difference, i18n.locale);
  return difference > 0 ? i18n._(msg`in a moment`) : i18n._(msg`just now`);
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
