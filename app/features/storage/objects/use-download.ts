import { useState } from 'react';
import { notifyFailure } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useBucketParams } from './use-bucket-params.ts';

/** Returns a function that saves objects as files: the browser loads them from the storage itself. */
export function useDownload() {
  const ofBucket = useBucketParams();
  const { client } = trpc.useUtils();
  const describe = useErrorMessage();
  const [isPending, setPending] = useState(false);
  const start = async (key: string) => {
    setPending(true);
    try {
      const asked = { ...ofBucket, key, operation: 'get', disposition: 'attachment' } as const;
      const { urls } = await client.storage.signObject.query(asked);
      // An attachment does not replace the page.
      if (urls[0] !== undefined) window.location.assign(urls[0]);
    } catch (error) {
      notifyFailure(describe(error));
    } finally {
      setPending(false);
    }
  };
  return { isPending, start };
}
