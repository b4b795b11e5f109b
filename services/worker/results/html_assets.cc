#include "services/worker/results/html_parts.h"

namespace yardmaster::worker::html {

std::string_view StyleSheet() {
  return R"(:root{color-scheme:light dark;--bg:#fbfbfa;--card:#fff;--line:#e3e2de;--ink:#1d1f21;--soft:#63666b;--faint:#94979c;
--passed:#1f7a43;--flaky:#8a6a00;--not_run:#6b7077;--failed:#b3261e;--timed_out:#b4510b;--error:#7a2f9e;--cancelled:#4a5a75;
--tint:#f3f2ee;--mark:#fff1c9;--link:#1a5fb4}
@media(prefers-color-scheme:dark){:root{--bg:#141517;--card:#1c1e21;--line:#33363b;--ink:#e7e8ea;--soft:#a5a9b0;--faint:#7b8088;
--passed:#5cc489;--flaky:#dcb544;--not_run:#9aa0a8;--failed:#ff7b72;--timed_out:#f4985a;--error:#cf8df0;--cancelled:#93a7c9;
--tint:#25282c;--mark:#463b16;--link:#7db3f5}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif}
main{max-width:1180px;margin:0 auto;padding:28px 24px 80px}
h1{font-size:26px;line-height:1.2;margin:0 0 4px;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:17px;margin:40px 0 12px;font-weight:650}
h2 small,.soft{color:var(--soft);font-weight:400}h2 small{font-size:14px;margin-left:6px}
code,pre,.mono,td.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
a{color:var(--link)}
.passed{--c:var(--passed)}.flaky{--c:var(--flaky)}.not_run{--c:var(--not_run)}.failed{--c:var(--failed)}
.timed_out{--c:var(--timed_out)}.error{--c:var(--error)}.cancelled{--c:var(--cancelled)}
.badge{display:inline-block;padding:0 8px;border-radius:10px;font-size:12.5px;line-height:20px;font-weight:600;color:var(--c);
border:1px solid var(--c);white-space:nowrap}
.verdict{font-size:15px;line-height:28px;border-radius:14px;padding:0 14px;background:var(--c);color:var(--bg)}
header .meta{display:flex;flex-wrap:wrap;gap:4px 22px;color:var(--soft);margin-top:10px;font-size:14px}
header .meta b{color:var(--ink);font-weight:500}
.cause{margin-top:22px;background:var(--card);border:1px solid var(--line);border-left:4px solid var(--c);border-radius:8px;padding:16px 18px}
.cause h3{margin:0 0 4px;font-size:16px;overflow-wrap:anywhere}
.cause .where{color:var(--soft);font-size:13.5px;margin-bottom:6px;overflow-wrap:anywhere}
.cause .advice{margin:8px 0 0}
.log{margin:12px 0 0;background:var(--tint);border-radius:6px;overflow-x:auto;padding:8px 0}
.log table{border-collapse:collapse;width:100%}
.log td{padding:0 10px;white-space:pre;vertical-align:top;border:0;font:12.5px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.log td.n,.log td.r{color:var(--faint);text-align:right;user-select:none;width:1%}
.log tr.hit td{background:var(--mark)}
.strip{display:flex;flex-wrap:wrap;gap:10px}
.layer{flex:1 1 150px;background:var(--card);border:1px solid var(--line);border-top:4px solid var(--c);border-radius:8px;padding:10px 12px}
.layer b{display:block;overflow-wrap:anywhere;margin-bottom:2px}.layer .title{font-size:13.5px;line-height:1.35;margin-top:5px}.layer .soft{font-size:13px}
.bar{display:flex;height:5px;border-radius:3px;overflow:hidden;margin:8px 0 4px;background:var(--tint)}.bar i{display:block;height:100%;background:var(--c)}
details.step{background:var(--card);border:1px solid var(--line);border-radius:8px;margin-bottom:6px}
details.step>summary{display:grid;grid-template-columns:minmax(200px,3fr) 96px minmax(160px,4fr) 84px;gap:12px;align-items:center;padding:6px 12px;cursor:pointer;list-style:none}
details.step>summary::-webkit-details-marker{display:none}
details.step>summary .id{overflow-wrap:anywhere}details.step>summary .badge{justify-self:start}
details.step>summary .id::before{content:"▸";color:var(--faint);margin-right:6px}details.step[open]>summary .id::before{content:"▾"}
.time{text-align:right;color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
svg{display:block;width:100%;overflow:visible}
svg text{font:11px system-ui,sans-serif;fill:var(--soft)}
.track{fill:var(--tint)}.c{fill:var(--c)}.hatch{fill:url(#victim)}.tick{stroke:var(--line)}.first{fill:var(--ink)}
.inside{padding:4px 14px 14px}
.lanes{display:grid;grid-template-columns:auto 1fr auto;gap:3px 10px;align-items:center;margin:6px 0 4px;font-size:12.5px}
.lanes .soft{white-space:nowrap}.scale{position:relative;height:16px;color:var(--faint);font-size:11.5px}
.scale span{position:absolute;transform:translateX(-50%);white-space:nowrap}.scale span:first-child{transform:none}.scale span:last-child{transform:translateX(-100%)}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;color:var(--soft);font-size:13px;margin:0 0 10px}.legend svg{display:inline-block;width:26px;height:12px;vertical-align:-1px;margin-right:5px}
table.tests{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--line);border-radius:8px;overflow:hidden}
.tests th{text-align:left;font-weight:600;font-size:13px;color:var(--soft);border-bottom:1px solid var(--line)}
.tests th,.tests td{padding:5px 10px;vertical-align:top}.tests tr+tr td{border-top:1px solid var(--line)}
.tests td.id{overflow-wrap:anywhere;width:60%}.tests td.id span{color:var(--soft);font-size:12px;display:block}
.tests pre{margin:6px 0 2px;white-space:pre-wrap;overflow-wrap:anywhere;color:var(--ink);background:var(--tint);padding:6px 8px;border-radius:4px;max-height:320px;overflow-y:auto;font-size:12.5px}
.ranks i{display:inline-block;width:8px;height:12px;margin-right:2px;background:var(--c);border-radius:1px}
.tools{display:flex;flex-wrap:wrap;gap:8px;margin-bottom:10px}
.tools input{flex:1 1 260px;font:inherit;padding:5px 10px;border:1px solid var(--line);border-radius:6px;background:var(--card);color:var(--ink)}
.tools button{font:inherit;font-size:13px;padding:4px 12px;border:1px solid var(--line);border-radius:6px;background:var(--card);color:var(--soft);cursor:pointer}
.tools button[aria-pressed=true]{border-color:var(--c,var(--ink));color:var(--c,var(--ink))}
.tensors{display:grid;grid-template-columns:repeat(auto-fill,minmax(330px,1fr));gap:12px}
.tensor{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px 12px}
.tensor h3{margin:0;font-size:13.5px;overflow-wrap:anywhere}
.tensor p{margin:2px 0 6px;color:var(--soft);font-size:12.5px;overflow-wrap:anywhere}
details.more{margin-top:12px}details.more>summary{cursor:pointer;color:var(--soft);margin-bottom:12px}
.ok{--c:var(--passed)}.off{--c:var(--failed)}.in-bar{fill:var(--passed)}.out-bar{fill:var(--failed)}.limit{stroke:var(--ink);stroke-dasharray:3 2}
dl.kv{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:0}dl.kv dt{color:var(--soft)}dl.kv dd{margin:0;overflow-wrap:anywhere}
ul.notes{margin:0;padding-left:20px;overflow-wrap:anywhere}
.hidden{display:none}
@media(max-width:720px){main{padding:18px 12px 60px}details.step>summary{grid-template-columns:1fr auto auto}details.step>summary .gantt{display:none}}
@media print{.tools{display:none}.tests pre{max-height:none}}
)";
}

std::string_view Script() {
  return R"((function(){
var box=document.getElementById('filter'),table=document.getElementById('tests');
if(!box||!table)return;
var rows=Array.prototype.slice.call(table.tBodies[0].rows),chosen='';
var buttons=Array.prototype.slice.call(document.querySelectorAll('.tools button'));
var count=document.getElementById('shown');
rows.forEach(function(row){row.setAttribute('data-v',row.className)});
function shown(){
var words=box.value.toLowerCase().split(/\s+/).filter(Boolean),n=0;
rows.forEach(function(row){
var text=row.textContent.toLowerCase();
var ok=(!chosen||row.getAttribute('data-v')===chosen)&&words.every(function(w){return text.indexOf(w)>=0});
row.classList.toggle('hidden',!ok);
if(ok)n++;
});
count.textContent=n+' shown';
}
box.addEventListener('input',shown);
buttons.forEach(function(b){b.addEventListener('click',function(){
chosen=b.getAttribute('data-v');
buttons.forEach(function(o){o.setAttribute('aria-pressed',o===b?'true':'false')});
shown();
})});
document.querySelector('.tools').classList.remove('hidden');
})();
)";
}

}  // namespace yardmaster::worker::html
