/** The script of the report: draws the charts and copies commands. The page is complete without it. */
import { drawCharts } from './charts.ts';

function enableCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const code = button.parentElement?.querySelector('code');
    if (code === null || code === undefined) continue;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const isCopied = await copy(code);
      button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
  }
}

/** Without access to the clipboard, the text is selected. */
async function copy(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}

/** Paper shows what is folded on a screen, except for long tables. */
function unfoldToPrint(): void {
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('details[data-print]')) details.open = true;
  });
}

enableCopying();
unfoldToPrint();
drawCharts();
