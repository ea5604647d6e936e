/** How a text is dressed for a screen. Report knows no screen, so the functions are handed in. */

export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
}

const same = (text: string): string => text;

/** No colour at all: for files, pipes and tests. */
export const plain: Style = { bold: same, dim: same, red: same, yellow: same, green: same };
