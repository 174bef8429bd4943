import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../../components/lazy-parts/lazy-part.tsx';

const AwayNotice = lazyPart(() => import('./away-notice.tsx'), { isQuiet: true });

/**
 * Says on every page while its server cannot be reached. It is loaded as soon as the page responds, since it could not be loaded then;
 * no page waits for it.
 */
export function AwayHost() {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => setWanted(true), []);
  if (!isWanted) return null;
  return (
    <Suspense fallback={null}>
      <AwayNotice />
    </Suspense>
  );
}
