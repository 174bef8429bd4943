import { useState } from 'react';
import classes from './avatar.module.css';
import { initialsOf } from './initials-of.ts';

/**
 * The picture of a person or an organization, or the initials of the name if no picture can be loaded. The
 * name itself is shown next to it. Mantine's has a gradient, groups and five variants more, which every page
 * would load.
 */
export function Avatar(props: {
  src: string | null;
  name: string;
  /** Pixels. */
  size: number;
  radius?: 'sm' | 'lg';
  isNeutral?: boolean;
}) {
  const { src, name, size, radius, isNeutral } = props;
  const [failed, setFailed] = useState<string | null>(null);
  const edge = `${size / 16}rem`;
  const style = {
    width: edge,
    height: edge,
    fontSize: `calc(${edge} / 2.5)`,
    borderRadius: radius && `var(--mantine-radius-${radius})`,
  };
  return (
    <div className={classes.avatar} style={style} data-neutral={isNeutral || undefined} aria-hidden>
      {src && src !== failed ? (
        <img className={classes.picture} src={src} alt="" onError={() => setFailed(src)} />
      ) : (
        initialsOf(name)
      )}
    </div>
  );
}
