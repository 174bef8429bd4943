import { Trans } from '@lingui/react/macro';
import { Kbd, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ComponentType, useCallback, useEffect, useLayoutEffect, useState } from 'react';
import { usePartFailure } from '../../components/lazy-parts/use-part-failure.ts';
import classes from './palette-trigger.module.css';

const loadPalette = () => import('./command-palette.tsx');

/**
 * The button of the top bar and the Ctrl/Cmd K of every page; the palette itself is loaded when it is first
 * needed.
 */
export function PaletteTrigger() {
  const tellFailure = usePartFailure();
  const [modifier, setModifier] = useState('Ctrl');
  useLayoutEffect(() => {
    if (/Mac|iPhone|iPad|iPod/.test(navigator.userAgent)) setModifier('⌘');
  }, []);
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
      tellFailure();
    }
  }, [tellFailure]);
  useEffect(() => {
    // In text fields too: the combination has no other meaning there.
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key.toLowerCase() !== 'k' || !(ctrlKey || metaKey) || altKey || shiftKey) return;
      event.preventDefault();
      void open();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [open]);
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
