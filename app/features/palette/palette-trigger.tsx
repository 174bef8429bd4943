import { Trans, useLingui } from '@lingui/react/macro';
import { Kbd, UnstyledButton } from '@mantine/core';
import { useHotkeys, useOs } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ComponentType, useCallback, useState } from 'react';
import { notifyFailure } from '../../components/notify.ts';
import classes from './palette-trigger.module.css';

const loadPalette = () => import('./command-palette.tsx');

/**
 * The button of the top bar and the Ctrl/Cmd K of every page; the palette itself is loaded when it is first
 * needed.
 */
export function PaletteTrigger() {
  const { t } = useLingui();
  const system = useOs();
  const [Palette, setPalette] = useState<ComponentType<{ isOpen: boolean; onClose: () => void }> | null>(
    null,
  );
  const [isOpen, setOpen] = useState(false);
  const open = useCallback(async () => {
    try {
      const { default: CommandPalette } = await loadPalette();
      setPalette(() => CommandPalette);
      setOpen((wasOpen) => !wasOpen);
    } catch {
      notifyFailure(t`The server cannot be reached. Check your connection and try again.`);
    }
  }, [t]);
  // In text fields too: the combination has no other meaning there.
  useHotkeys([['mod+K', () => void open()]], []);
  const modifier = system === 'macos' || system === 'ios' ? '⌘' : 'Ctrl';
  return (
    <>
      <UnstyledButton
        className={classes.trigger}
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={() => void open()}
        onPointerEnter={() => void loadPalette().catch(() => undefined)}
      >
        <IconSearch size={16} stroke={1.75} aria-hidden />
        <span className={classes.label}>
          <Trans>Search…</Trans>
        </span>
        <Kbd size="xs" className={classes.keys} aria-hidden>
          {modifier} K
        </Kbd>
      </UnstyledButton>
      {Palette && <Palette isOpen={isOpen} onClose={() => setOpen(false)} />}
    </>
  );
}
