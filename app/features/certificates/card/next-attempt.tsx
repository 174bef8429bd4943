import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { formatTimeAgo } from '../../../components/dates/time-ago.tsx';

const TICK_MS = 15_000;
const SOON_MS = 60_000;

/** When something is retried automatically: "in 5 minutes", or "in a moment" when it is due. */
export function NextAttempt({ instant }: { instant: string }) {
  const { i18n } = useLingui();
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  // The first paint is the same on the server and in the browser, whatever their clocks say.
  if (now === null) return <Trans>We will try again automatically.</Trans>;
  if (Date.parse(instant) - now < SOON_MS) return <Trans>We will try again automatically in a moment.</Trans>;
  const when = formatTimeAgo(instant, now, i18n);
  return <Trans>We will try again automatically {when}.</Trans>;
}
