import { useLingui } from '@lingui/react/macro';
import { IconBook } from '@tabler/icons-react';
import type { PaletteEntry } from './palette-entry.ts';
import { useActionEntries } from './use-action-entries.tsx';
import { useOrganizationEntries } from './use-organization-entries.tsx';
import { usePageEntries } from './use-page-entries.tsx';
import { useTypedEntries } from './use-typed-entries.tsx';

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
