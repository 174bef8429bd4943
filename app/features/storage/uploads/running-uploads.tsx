import { Suspense } from 'react';
import { lazyPart } from '../../../components/lazy-parts/lazy-part.tsx';
import { useKeptUploads } from './kept-uploads.ts';

/** Loaded with the first bucket that is opened. */
const UploadsPanel = lazyPart(() => import('./uploads-panel.tsx'), { isQuiet: true });

/** Uploads that go on while other pages are open; nothing while there are none. */
export function RunningUploads() {
  const kept = useKeptUploads();
  if (kept.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <UploadsPanel kept={kept} />
    </Suspense>
  );
}
