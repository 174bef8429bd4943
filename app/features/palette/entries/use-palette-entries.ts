import { useLingui } from '@lingui/react/macro';
import { IconBook } from '@tabler/icons-react';
import type { PaletteEntry } from '../palette-entry.ts';
import { useActionEntries } from './use-action-entries.ts';
import { useOrganizationEntries } from './use-organization-entries.ts';
import { usePageEntries } from './use-page-entries.ts';
import { useTypedEntries } from './use-typed-entries.ts';

/** Returns everything that the palette knows without a search, for what the person may do. */
export function usePaletteEntries(): Record<
  'pages' | 'organizations' | 'actions' | 'typedActions' | 'documentation',
  PaletteEntry[]
> {
  const { t } = useLingui();
  const documentation: PaletteEntry[] = [
    {
      id: 'documentation api',
      label: t`API reference`,
      icon: IconBook,
      run: () => void window.open('/api/v1/docs', '_blank', 'noreferrer'),
    },
  ];
  return {
    pages: usePageEntries(),
    organizations: useOrganizationEntries(),
    actions: useActionEntries(),
    typedActions: useTypedEntries(),
    documentation,
  };
}
