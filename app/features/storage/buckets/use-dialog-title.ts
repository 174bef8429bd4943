import { useLingui } from '@lingui/react/macro';
import { useRef } from 'react';
import type { Bucket } from '#server/services/storage/schema.ts';
import type { BucketDialog } from './buckets-screen.tsx';

/** Returns the title of a dialog; while it closes, it keeps the name of its bucket. */
export function useDialogTitle(): (dialog: BucketDialog, bucket: Bucket | null) => string {
  const { t } = useLingui();
  const last = useRef<Partial<Record<BucketDialog, string>>>({});
  return (dialog, bucket) => {
    if (bucket !== null) last.current[dialog] = bucket.name;
    const name = last.current[dialog] ?? '';
    if (dialog === 'edit') return t({ context: 'bucket', message: `Edit ${name}` });
    if (dialog === 'delete') return t({ context: 'bucket', message: `Delete ${name}?` });
    if (dialog === 'empty') return t({ context: 'bucket', message: `Empty ${name}?` });
    return t`Connect a client to ${name}`;
  };
}
