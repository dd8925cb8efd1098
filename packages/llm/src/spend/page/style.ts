/** The style of the page. Its hash stands in the page's security policy. */
export const STYLE = `:root{color-scheme:light dark;--paper:#fff;--card:#f6f8fa;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--fill:#0969da;--near:#9a6700;--over:#cf222e}
@media(prefers-color-scheme:dark){:root{--paper:#0d1117;--card:#161b22;--ink:#e6edf3;--soft:#9aa4af;--line:#3d444d;--fill:#58a6ff;--near:#d29922;--over:#ff7b72}}
*{box-sizing:border-box}body{margin:0 auto;padding:24px 16px 48px;max-width:720px;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:24px;line-height:1.25;margin:0;overflow-wrap:anywhere}h2{font-size:17px;margin:0;overflow-wrap:anywhere}p{margin:4px 0}.soft,dt,th{color:var(--soft)}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:14px 16px;margin:16px 0}.left{font-size:22px;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
meter{display:block;width:100%;height:12px;margin:8px 0;border:0;border-radius:6px;overflow:hidden;background:var(--line);-webkit-appearance:none;appearance:none}
meter::-webkit-meter-bar{grid-row:1/-1;height:100%;border:0;border-radius:6px;background:var(--line)}
meter::-webkit-meter-optimum-value{background:var(--fill);border-radius:6px}meter::-webkit-meter-suboptimum-value{background:var(--near);border-radius:6px}meter::-webkit-meter-even-less-good-value{background:var(--over);border-radius:6px}
meter:-moz-meter-optimum::-moz-meter-bar{background:var(--fill)}meter:-moz-meter-sub-optimum::-moz-meter-bar{background:var(--near)}meter:-moz-meter-sub-sub-optimum::-moz-meter-bar{background:var(--over)}
dl{display:grid;grid-template-columns:1fr auto;gap:2px 16px;margin:8px 0 0}dd{margin:0;text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}time{white-space:nowrap}
`;
