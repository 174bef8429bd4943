import { useLingui } from '@lingui/react/macro';
import { formatShare } from '../../../i18n/formats/format-share.ts';
import classes from './share-bar.module.css';

/** A part of a whole as a percentage, and as a quiet bar. */
export function ShareBar({ part, whole }: { part: number; whole: number }) {
  const { i18n } = useLingui();
  const share = whole === 0 ? 0 : part / whole;
  return (
    <span className={classes.share}>
      <span className={classes.track} aria-hidden>
        <span className={classes.part} style={{ width: `${(share * 100).toFixed(2)}%` }} />
      </span>
      <span className={classes.figure}>{formatShare(part, whole, i18n.locale)}</span>
    </span>
  );
}
