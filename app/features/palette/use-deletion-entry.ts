import { useLingui } from '@lingui/react/macro';
import { IconTrash } from '@tabler/icons-react';
import type { PaletteEntry } from './palette-entry.ts';

/** Returns what makes the entry that deletes something; `run` leads to its page, which asks first. */
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
