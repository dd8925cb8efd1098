/** The style of the page. Colours have names, so that dark mode and the charts follow. Paper is always light. */
export const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--card:#f6f8fa;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;
--requests:#818b98;--refused:#cf222e;--against:#0969da;--mark:#8250df}
@media(prefers-color-scheme:dark){:root{--paper:#0d1117;--card:#161b22;--ink:#e6edf3;--soft:#9aa4af;--line:#3d444d;
--requests:#6e7681;--refused:#ff7b72;--against:#58a6ff;--mark:#d2a8ff}}
@media print{:root{color-scheme:light;--paper:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;
--requests:#818b98;--refused:#cf222e;--against:#0969da;--mark:#8250df}}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px 20px 48px;max-width:920px;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}
h1,h3,p,li,code,tbody th{overflow-wrap:anywhere}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}h2{font-size:19px;margin:36px 0 8px}h3{font-size:16px;margin:20px 0 4px}
p{margin:4px 0 12px}.lead{font-size:17px}.soft,small,figcaption,caption,dt{color:var(--soft)}
code{font:13px ui-monospace,monospace;background:var(--card);padding:1px 4px;border-radius:4px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(155px,1fr));gap:12px;margin:20px 0 0}
.tiles>div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px}
dt{font-size:13px}dd{margin:0}dd strong{display:block;font-size:26px;line-height:1.3}small{font-size:13px}
figure{margin:12px 0 0}figcaption{font-size:13px;margin-bottom:6px}.entry{margin-left:12px;white-space:nowrap}
.entry i{display:inline-block;width:11px;height:11px;margin-right:5px;vertical-align:-1px}
i.requests{background:var(--requests)}i.refused{background:var(--refused)}i.against{height:0;border-top:3px dashed var(--against);vertical-align:4px;width:16px}
.chart{display:block;max-width:100%;height:auto}.narrow{display:none}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px}caption{text-align:left;font-size:13px;padding:2px 0}
th,td{padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top;font-weight:normal;text-align:left}
thead th{color:var(--soft);font-size:13px}tbody th{min-width:110px}td{white-space:nowrap}
tbody th code{display:-webkit-inline-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
summary{color:var(--soft);font-size:13px;cursor:pointer;margin-top:6px}ul{padding-left:20px;margin:6px 0}
:focus-visible{outline:2px solid var(--against);outline-offset:2px}
@media(max-width:600px){table{font-size:12px}th,td{padding-right:6px}thead th,thead th.number{font-size:11px;white-space:normal}tbody th{min-width:60px}
th:last-child,td:last-child{padding-right:0}td.text{white-space:normal;overflow-wrap:anywhere}
body{padding:16px 12px 32px}.wide{display:none}.narrow{display:block}h1{font-size:21px}
.tiles{grid-template-columns:repeat(auto-fit,minmax(140px,1fr))}}
@media print{body{max-width:none;padding:0;font-size:12px}figure,.tiles>div,tr{break-inside:avoid}h2,h3{break-after:avoid}
details,summary{display:none}.scroll{overflow:visible}}
`;
