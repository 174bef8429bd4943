import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../../components/lazy-parts/lazy-part.tsx';

const AwayNotice = lazyPart(() => import('./away-notice.tsx'), { isQuiet: true });
/** By then the page has what it needs itself, even on a slow line. */
const LOAD_AFTER_MS = 5000;

/** Says on every page while its server cannot be reached; loaded beforehand, since it could not be loaded then. */
export function AwayHost() {
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLoaded(true), LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isLoaded) return null;
  return (
    <Suspense fallback={null}>
      <AwayNotice />
    </Suspense>
  );
}
