import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import type { ObjectEntry } from '#server/services/storage/schema.ts';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { fileNameOf } from './key-names.ts';
import { useBucketParams } from './use-bucket-params.ts';

/** Returns a function that deletes objects and folders after asking; it resolves to whether that was done. */
export function useDeleteObjects() {
  const { t } = useLingui();
  const ofBucket = useBucketParams();
  const utils = trpc.useUtils();
  const describe = useErrorMessage();
  const [isPending, setPending] = useState(false);

  const remove = async (entries: readonly Pick<ObjectEntry, 'kind' | 'key'>[]): Promise<boolean> => {
    const prefixes = entries.filter(({ kind }) => kind === 'folder').map(({ key }) => key);
    const keys = entries.filter(({ kind }) => kind === 'object').map(({ key }) => key);
    const count = entries.length;
    const name = fileNameOf(entries[0]?.key ?? '');
    const isSure = await askConfirmation({
      title:
        count === 1
          ? t({ context: 'object', message: `Delete ${name}?` })
          : t`${plural(count, { one: 'Delete # entry?', other: 'Delete # entries?' })}`,
      body:
        prefixes.length > 0 ? (
          <Trans>Folders are deleted with everything in them. This cannot be undone.</Trans>
        ) : (
          <Trans>This cannot be undone.</Trans>
        ),
      confirm: t`Delete`,
      isDestructive: true,
    });
    if (!isSure) return false;
    setPending(true);
    try {
      let removed = 0;
      for (const portion of portionsOf(keys, prefixes)) {
        for (let isDone = false; !isDone; ) {
          const step = await utils.client.storage.deleteObjects.mutate({ ...ofBucket, ...portion });
          removed += step.removed_objects;
          isDone = step.is_done;
        }
      }
      notifySuccess(t`${plural(removed, { one: '# object was deleted', other: '# objects were deleted' })}`);
      return true;
    } catch (error) {
      notifyFailure(describe(error));
      return false;
    } finally {
      setPending(false);
      void utils.storage.invalidate();
    }
  };
  return { isPending, remove };
}

const KEYS_AT_ONCE = 500;

/** Requests of limited size; folders one by one, because each may take several. */
function portionsOf(keys: readonly string[], prefixes: readonly string[]) {
  const portions: { keys?: string[]; prefixes?: string[] }[] = prefixes.map((prefix) => ({
    prefixes: [prefix],
  }));
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    portions.push({ keys: keys.slice(at, at + KEYS_AT_ONCE) });
  }
  return portions;
}
