import { useLingui } from '@lingui/react/macro';
import { IconTrash } from '@tabler/icons-react';
import type { PaletteEntry } from '../palette-entry.ts';

/**
 * Returns a function that makes an entry for a deletion; `run` opens the page of the item, which asks for
 * confirmation.
 */
export function useDeletionEntry(): (id: string, name: string, run: () => void) => PaletteEntry {
  const { t } = useLingui();
  return (id, name, run) => ({
    id: `delete ${id}`,
    label: t({ context: 'palette', message: `Delete ${name}` }),
    keywords: t({ message: 'remove erase destroy', context: 'search words' }),
    icon: IconTrash,
    run,
  });
}
