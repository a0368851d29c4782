"""The TeX commands that a backslash before letters may be."""

from __future__ import annotations

# Those that begin with one of JSON's own escapes (n, r, t) are complete as far as formulas use them. The others are
# needed only to tell a command from a computer's name in a path, so the usual ones will do.
COMMANDS = frozenset(
    """
    nLeftarrow nLeftrightarrow nRightarrow nVDash nVdash nabla natural ncong ne nearrow neg negmedspace negthickspace
    negthinspace neq newcommand newenvironment newline newpage nexists ngeq ngeqq ngeqslant ngtr ni nleftarrow
    nleftrightarrow nleq nleqq nleqslant nless nmid nobreak nobreakspace nocite noindent nolimits nonumber norm
    normalsize not notag notin nparallel nprec npreceq nrightarrow nshortmid nshortparallel nsim nsubseteq nsubseteqq
    nsucc nsucceq nsupseteq nsupseteqq ntriangleleft ntrianglelefteq ntriangleright ntrianglerighteq nu numberwithin
    nvDash nvdash nwarrow
    rAngle rBrace rBrack rVert raggedright raise ran rangle rank rbrace rbrack rceil real ref reflectbox relax
    renewcommand require res restriction rfloor rgroup rhd rho right rightarrow rightarrowtail rightharpoondown
    rightharpoonup rightleftarrows rightleftharpoons rightmoustache rightrightarrows rightsquigarrow rightthreetimes
    risingdotseq rlap rm rmoustache root rot row rule rvert
    tableofcontents tag tan tanh tau tbinom text textbf textcolor textit textmd textnormal textrm textsc textsf textsl
    textstyle texttt textup textwidth tfrac the therefore theta thetasym thickapprox thicksim thickspace thin thinspace
    tilde times tiny title to top tr trace triangle triangledown triangleleft trianglelefteq triangleq triangleright
    trianglerighteq tt twocolumn twoheadleftarrow twoheadrightarrow
    alpha approx arccos arcsin arctan arg ast aleph amalg angle backslash bar because begin beta binom bf big bigcap
    bigcup boldsymbol bot bowtie boxed bullet cap cdot cdots centering chapter chi choose circ cite color colon cong
    coprod cos cosh cot csc cup dagger dashv ddot ddots deg delta det diamond dim displaystyle div documentclass dot
    dots downarrow ell emph empty emptyset end epsilon equiv eta exists exp fbox flat footnote forall frac frown gamma
    gcd ge geq gets gg grad graphicx hat hbar hbox hline hom hookrightarrow hspace iff iint imath implies in inf infty
    input int iota item jmath kappa ker label lambda land langle large lceil ldots le left leftarrow leq lfloor lg lim
    liminf limits limsup line ll ln log lor mapsto mathbb mathbf mathcal mathfrak mathit mathrm mathsf max mbox mid min
    mod models mp mu odot oint omega ominus operatorname oplus oslash otimes over overbrace overline overset par
    paragraph parallel partial perp phi pi pm pmod prec preceq prime prod propto psi qquad quad section setminus sgn
    sigma sim simeq sin sinh smile sqcap sqcup sqrt square stackrel star subsection subset subseteq substack succ sum
    sup supset supseteq swarrow tanh underbrace underline underset uparrow upsilon usepackage varepsilon varnothing
    varphi vartheta vdash vdots vec vee vert vspace wedge widehat widetilde wp wr xi xrightarrow zeta
    Delta Gamma Lambda Omega Phi Pi Psi Sigma Theta Upsilon Xi Leftarrow Rightarrow Leftrightarrow Longrightarrow
    LaTeX TeX Big Bigg Pr Re Im Vert
    """.split()  # noqa: SIM905 - a list of literals would be several times as long
)
