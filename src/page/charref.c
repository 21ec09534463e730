/* The names of the HTML standard, and how references are read. */
#include "base/str.h"
#include "page/charset.h"
#include "page/token.h"

#include <pthread.h>

/* A name, "*" where it may stand without its semicolon, a space, the characters; sorted by name (bytewise). */
static const char names[] =
    "AElig* Æ\nAMP* &\nAacute* Á\nAbreve Ă\nAcirc* Â\nAcy А\nAfr 𝔄\nAgrave* À\nAlpha Α\nAmacr Ā\nAnd ⩓\nAogon Ą\n"
    "Aopf 𝔸\nApplyFunction \342\201\241\nAring* Å\nAscr 𝒜\nAssign ≔\nAtilde* Ã\nAuml* Ä\nBackslash ∖\nBarv ⫧\n"
    "Barwed ⌆\nBcy Б\nBecause ∵\nBernoullis ℬ\nBeta Β\nBfr 𝔅\nBopf 𝔹\nBreve ˘\nBscr ℬ\nBumpeq ≎\nCHcy Ч\n"
    "COPY* ©\nCacute Ć\nCap ⋒\nCapitalDifferentialD ⅅ\nCayleys ℭ\nCcaron Č\nCcedil* Ç\nCcirc Ĉ\nCconint ∰\n"
    "Cdot Ċ\nCedilla ¸\nCenterDot ·\nCfr ℭ\nChi Χ\nCircleDot ⊙\nCircleMinus ⊖\nCirclePlus ⊕\nCircleTimes ⊗\n"
    "ClockwiseContourIntegral ∲\nCloseCurlyDoubleQuote \342\200\235\nCloseCurlyQuote \342\200\231\nColon ∷\n"
    "Colone ⩴\nCongruent ≡\nConint ∯\nContourIntegral ∮\nCopf ℂ\nCoproduct ∐\nCounterClockwiseContourIntegral ∳\n"
    "Cross ⨯\nCscr 𝒞\nCup ⋓\nCupCap ≍\nDD ⅅ\nDDotrahd ⤑\nDJcy Ђ\nDScy Ѕ\nDZcy Џ\nDagger \342\200\241\nDarr ↡\n"
    "Dashv ⫤\nDcaron Ď\nDcy Д\nDel ∇\nDelta Δ\nDfr 𝔇\nDiacriticalAcute ´\nDiacriticalDot ˙\n"
    "DiacriticalDoubleAcute ˝\nDiacriticalGrave `\nDiacriticalTilde ˜\nDiamond ⋄\nDifferentialD ⅆ\nDopf 𝔻\n"
    "Dot ¨\nDotDot \342\203\234\nDotEqual ≐\nDoubleContourIntegral ∯\nDoubleDot ¨\nDoubleDownArrow ⇓\n"
    "DoubleLeftArrow ⇐\nDoubleLeftRightArrow ⇔\nDoubleLeftTee ⫤\nDoubleLongLeftArrow ⟸\n"
    "DoubleLongLeftRightArrow ⟺\nDoubleLongRightArrow ⟹\nDoubleRightArrow ⇒\nDoubleRightTee ⊨\nDoubleUpArrow ⇑\n"
    "DoubleUpDownArrow ⇕\nDoubleVerticalBar ∥\nDownArrow ↓\nDownArrowBar ⤓\nDownArrowUpArrow ⇵\n"
    "DownBreve \314\221\nDownLeftRightVector ⥐\nDownLeftTeeVector ⥞\nDownLeftVector ↽\nDownLeftVectorBar ⥖\n"
    "DownRightTeeVector ⥟\nDownRightVector ⇁\nDownRightVectorBar ⥗\nDownTee ⊤\nDownTeeArrow ↧\nDownarrow ⇓\n"
    "Dscr 𝒟\nDstrok Đ\nENG Ŋ\nETH* Ð\nEacute* É\nEcaron Ě\nEcirc* Ê\nEcy Э\nEdot Ė\nEfr 𝔈\nEgrave* È\nElement ∈\n"
    "Emacr Ē\nEmptySmallSquare ◻\nEmptyVerySmallSquare ▫\nEogon Ę\nEopf 𝔼\nEpsilon Ε\nEqual ⩵\nEqualTilde ≂\n"
    "Equilibrium ⇌\nEscr ℰ\nEsim ⩳\nEta Η\nEuml* Ë\nExists ∃\nExponentialE ⅇ\nFcy Ф\nFfr 𝔉\nFilledSmallSquare ◼\n"
    "FilledVerySmallSquare ▪\nFopf 𝔽\nForAll ∀\nFouriertrf ℱ\nFscr ℱ\nGJcy Ѓ\nGT* >\nGamma Γ\nGammad Ϝ\n"
    "Gbreve Ğ\nGcedil Ģ\nGcirc Ĝ\nGcy Г\nGdot Ġ\nGfr 𝔊\nGg ⋙\nGopf 𝔾\nGreaterEqual ≥\nGreaterEqualLess ⋛\n"
    "GreaterFullEqual ≧\nGreaterGreater ⪢\nGreaterLess ≷\nGreaterSlantEqual ⩾\nGreaterTilde ≳\nGscr 𝒢\nGt ≫\n"
    "HARDcy Ъ\nHacek ˇ\nHat ^\nHcirc Ĥ\nHfr ℌ\nHilbertSpace ℋ\nHopf ℍ\nHorizontalLine ─\nHscr ℋ\nHstrok Ħ\n"
    "HumpDownHump ≎\nHumpEqual ≏\nIEcy Е\nIJlig Ĳ\nIOcy Ё\nIacute* Í\nIcirc* Î\nIcy И\nIdot İ\nIfr ℑ\nIgrave* Ì\n"
    "Im ℑ\nImacr Ī\nImaginaryI ⅈ\nImplies ⇒\nInt ∬\nIntegral ∫\nIntersection ⋂\nInvisibleComma \342\201\243\n"
    "InvisibleTimes \342\201\242\nIogon Į\nIopf 𝕀\nIota Ι\nIscr ℐ\nItilde Ĩ\nIukcy І\nIuml* Ï\nJcirc Ĵ\nJcy Й\n"
    "Jfr 𝔍\nJopf 𝕁\nJscr 𝒥\nJsercy Ј\nJukcy Є\nKHcy Х\nKJcy Ќ\nKappa Κ\nKcedil Ķ\nKcy К\nKfr 𝔎\nKopf 𝕂\nKscr 𝒦\n"
    "LJcy Љ\nLT* <\nLacute Ĺ\nLambda Λ\nLang ⟪\nLaplacetrf ℒ\nLarr ↞\nLcaron Ľ\nLcedil Ļ\nLcy Л\n"
    "LeftAngleBracket ⟨\nLeftArrow ←\nLeftArrowBar ⇤\nLeftArrowRightArrow ⇆\nLeftCeiling ⌈\nLeftDoubleBracket ⟦\n"
    "LeftDownTeeVector ⥡\nLeftDownVector ⇃\nLeftDownVectorBar ⥙\nLeftFloor ⌊\nLeftRightArrow ↔\n"
    "LeftRightVector ⥎\nLeftTee ⊣\nLeftTeeArrow ↤\nLeftTeeVector ⥚\nLeftTriangle ⊲\nLeftTriangleBar ⧏\n"
    "LeftTriangleEqual ⊴\nLeftUpDownVector ⥑\nLeftUpTeeVector ⥠\nLeftUpVector ↿\nLeftUpVectorBar ⥘\n"
    "LeftVector ↼\nLeftVectorBar ⥒\nLeftarrow ⇐\nLeftrightarrow ⇔\nLessEqualGreater ⋚\nLessFullEqual ≦\n"
    "LessGreater ≶\nLessLess ⪡\nLessSlantEqual ⩽\nLessTilde ≲\nLfr 𝔏\nLl ⋘\nLleftarrow ⇚\nLmidot Ŀ\n"
    "LongLeftArrow ⟵\nLongLeftRightArrow ⟷\nLongRightArrow ⟶\nLongleftarrow ⟸\nLongleftrightarrow ⟺\n"
    "Longrightarrow ⟹\nLopf 𝕃\nLowerLeftArrow ↙\nLowerRightArrow ↘\nLscr ℒ\nLsh ↰\nLstrok Ł\nLt ≪\nMap ⤅\nMcy М\n"
    "MediumSpace \342\201\237\nMellintrf ℳ\nMfr 𝔐\nMinusPlus ∓\nMopf 𝕄\nMscr ℳ\nMu Μ\nNJcy Њ\nNacute Ń\n"
    "Ncaron Ň\nNcedil Ņ\nNcy Н\nNegativeMediumSpace \342\200\213\nNegativeThickSpace \342\200\213\n"
    "NegativeThinSpace \342\200\213\nNegativeVeryThinSpace \342\200\213\nNestedGreaterGreater ≫\n"
    "NestedLessLess ≪\nNewLine \012\nNfr 𝔑\nNoBreak \342\201\240\nNonBreakingSpace \302\240\nNopf ℕ\nNot ⫬\n"
    "NotCongruent ≢\nNotCupCap ≭\nNotDoubleVerticalBar ∦\nNotElement ∉\nNotEqual ≠\nNotEqualTilde ≂\314\270\n"
    "NotExists ∄\nNotGreater ≯\nNotGreaterEqual ≱\nNotGreaterFullEqual ≧\314\270\nNotGreaterGreater ≫\314\270\n"
    "NotGreaterLess ≹\nNotGreaterSlantEqual ⩾\314\270\nNotGreaterTilde ≵\nNotHumpDownHump ≎\314\270\n"
    "NotHumpEqual ≏\314\270\nNotLeftTriangle ⋪\nNotLeftTriangleBar ⧏\314\270\nNotLeftTriangleEqual ⋬\nNotLess ≮\n"
    "NotLessEqual ≰\nNotLessGreater ≸\nNotLessLess ≪\314\270\nNotLessSlantEqual ⩽\314\270\nNotLessTilde ≴\n"
    "NotNestedGreaterGreater ⪢\314\270\nNotNestedLessLess ⪡\314\270\nNotPrecedes ⊀\nNotPrecedesEqual ⪯\314\270\n"
    "NotPrecedesSlantEqual ⋠\nNotReverseElement ∌\nNotRightTriangle ⋫\nNotRightTriangleBar ⧐\314\270\n"
    "NotRightTriangleEqual ⋭\nNotSquareSubset ⊏\314\270\nNotSquareSubsetEqual ⋢\nNotSquareSuperset ⊐\314\270\n"
    "NotSquareSupersetEqual ⋣\nNotSubset ⊂\342\203\222\nNotSubsetEqual ⊈\nNotSucceeds ⊁\n"
    "NotSucceedsEqual ⪰\314\270\nNotSucceedsSlantEqual ⋡\nNotSucceedsTilde ≿\314\270\nNotSuperset ⊃\342\203\222\n"
    "NotSupersetEqual ⊉\nNotTilde ≁\nNotTildeEqual ≄\nNotTildeFullEqual ≇\nNotTildeTilde ≉\nNotVerticalBar ∤\n"
    "Nscr 𝒩\nNtilde* Ñ\nNu Ν\nOElig Œ\nOacute* Ó\nOcirc* Ô\nOcy О\nOdblac Ő\nOfr 𝔒\nOgrave* Ò\nOmacr Ō\nOmega Ω\n"
    "Omicron Ο\nOopf 𝕆\nOpenCurlyDoubleQuote \342\200\234\nOpenCurlyQuote \342\200\230\nOr ⩔\nOscr 𝒪\nOslash* Ø\n"
    "Otilde* Õ\nOtimes ⨷\nOuml* Ö\nOverBar \342\200\276\nOverBrace ⏞\nOverBracket ⎴\nOverParenthesis ⏜\n"
    "PartialD ∂\nPcy П\nPfr 𝔓\nPhi Φ\nPi Π\nPlusMinus ±\nPoincareplane ℌ\nPopf ℙ\nPr ⪻\nPrecedes ≺\n"
    "PrecedesEqual ⪯\nPrecedesSlantEqual ≼\nPrecedesTilde ≾\nPrime \342\200\263\nProduct ∏\nProportion ∷\n"
    "Proportional ∝\nPscr 𝒫\nPsi Ψ\nQUOT* \042\nQfr 𝔔\nQopf ℚ\nQscr 𝒬\nRBarr ⤐\nREG* ®\nRacute Ŕ\nRang ⟫\n"
    "Rarr ↠\nRarrtl ⤖\nRcaron Ř\nRcedil Ŗ\nRcy Р\nRe ℜ\nReverseElement ∋\nReverseEquilibrium ⇋\n"
    "ReverseUpEquilibrium ⥯\nRfr ℜ\nRho Ρ\nRightAngleBracket ⟩\nRightArrow →\nRightArrowBar ⇥\n"
    "RightArrowLeftArrow ⇄\nRightCeiling ⌉\nRightDoubleBracket ⟧\nRightDownTeeVector ⥝\nRightDownVector ⇂\n"
    "RightDownVectorBar ⥕\nRightFloor ⌋\nRightTee ⊢\nRightTeeArrow ↦\nRightTeeVector ⥛\nRightTriangle ⊳\n"
    "RightTriangleBar ⧐\nRightTriangleEqual ⊵\nRightUpDownVector ⥏\nRightUpTeeVector ⥜\nRightUpVector ↾\n"
    "RightUpVectorBar ⥔\nRightVector ⇀\nRightVectorBar ⥓\nRightarrow ⇒\nRopf ℝ\nRoundImplies ⥰\nRrightarrow ⇛\n"
    "Rscr ℛ\nRsh ↱\nRuleDelayed ⧴\nSHCHcy Щ\nSHcy Ш\nSOFTcy Ь\nSacute Ś\nSc ⪼\nScaron Š\nScedil Ş\nScirc Ŝ\n"
    "Scy С\nSfr 𝔖\nShortDownArrow ↓\nShortLeftArrow ←\nShortRightArrow →\nShortUpArrow ↑\nSigma Σ\n"
    "SmallCircle ∘\nSopf 𝕊\nSqrt √\nSquare □\nSquareIntersection ⊓\nSquareSubset ⊏\nSquareSubsetEqual ⊑\n"
    "SquareSuperset ⊐\nSquareSupersetEqual ⊒\nSquareUnion ⊔\nSscr 𝒮\nStar ⋆\nSub ⋐\nSubset ⋐\nSubsetEqual ⊆\n"
    "Succeeds ≻\nSucceedsEqual ⪰\nSucceedsSlantEqual ≽\nSucceedsTilde ≿\nSuchThat ∋\nSum ∑\nSup ⋑\nSuperset ⊃\n"
    "SupersetEqual ⊇\nSupset ⋑\nTHORN* Þ\nTRADE ™\nTSHcy Ћ\nTScy Ц\nTab \011\nTau Τ\nTcaron Ť\nTcedil Ţ\nTcy Т\n"
    "Tfr 𝔗\nTherefore ∴\nTheta Θ\nThickSpace \342\201\237\342\200\212\nThinSpace \342\200\211\nTilde ∼\n"
    "TildeEqual ≃\nTildeFullEqual ≅\nTildeTilde ≈\nTopf 𝕋\nTripleDot \342\203\233\nTscr 𝒯\nTstrok Ŧ\nUacute* Ú\n"
    "Uarr ↟\nUarrocir ⥉\nUbrcy Ў\nUbreve Ŭ\nUcirc* Û\nUcy У\nUdblac Ű\nUfr 𝔘\nUgrave* Ù\nUmacr Ū\nUnderBar _\n"
    "UnderBrace ⏟\nUnderBracket ⎵\nUnderParenthesis ⏝\nUnion ⋃\nUnionPlus ⊎\nUogon Ų\nUopf 𝕌\nUpArrow ↑\n"
    "UpArrowBar ⤒\nUpArrowDownArrow ⇅\nUpDownArrow ↕\nUpEquilibrium ⥮\nUpTee ⊥\nUpTeeArrow ↥\nUparrow ⇑\n"
    "Updownarrow ⇕\nUpperLeftArrow ↖\nUpperRightArrow ↗\nUpsi ϒ\nUpsilon Υ\nUring Ů\nUscr 𝒰\nUtilde Ũ\nUuml* Ü\n"
    "VDash ⊫\nVbar ⫫\nVcy В\nVdash ⊩\nVdashl ⫦\nVee ⋁\nVerbar \342\200\226\nVert \342\200\226\nVerticalBar ∣\n"
    "VerticalLine |\nVerticalSeparator ❘\nVerticalTilde ≀\nVeryThinSpace \342\200\212\nVfr 𝔙\nVopf 𝕍\nVscr 𝒱\n"
    "Vvdash ⊪\nWcirc Ŵ\nWedge ⋀\nWfr 𝔚\nWopf 𝕎\nWscr 𝒲\nXfr 𝔛\nXi Ξ\nXopf 𝕏\nXscr 𝒳\nYAcy Я\nYIcy Ї\nYUcy Ю\n"
    "Yacute* Ý\nYcirc Ŷ\nYcy Ы\nYfr 𝔜\nYopf 𝕐\nYscr 𝒴\nYuml Ÿ\nZHcy Ж\nZacute Ź\nZcaron Ž\nZcy З\nZdot Ż\n"
    "ZeroWidthSpace \342\200\213\nZeta Ζ\nZfr ℨ\nZopf ℤ\nZscr 𝒵\naacute* á\nabreve ă\nac ∾\nacE ∾\314\263\n"
    "acd ∿\nacirc* â\nacute* ´\nacy а\naelig* æ\naf \342\201\241\nafr 𝔞\nagrave* à\nalefsym ℵ\naleph ℵ\nalpha α\n"
    "amacr ā\namalg ⨿\namp* &\nand ∧\nandand ⩕\nandd ⩜\nandslope ⩘\nandv ⩚\nang ∠\nange ⦤\nangle ∠\nangmsd ∡\n"
    "angmsdaa ⦨\nangmsdab ⦩\nangmsdac ⦪\nangmsdad ⦫\nangmsdae ⦬\nangmsdaf ⦭\nangmsdag ⦮\nangmsdah ⦯\nangrt ∟\n"
    "angrtvb ⊾\nangrtvbd ⦝\nangsph ∢\nangst Å\nangzarr ⍼\naogon ą\naopf 𝕒\nap ≈\napE ⩰\napacir ⩯\nape ≊\napid ≋\n"
    "apos '\napprox ≈\napproxeq ≊\naring* å\nascr 𝒶\nast *\nasymp ≈\nasympeq ≍\natilde* ã\nauml* ä\nawconint ∳\n"
    "awint ⨑\nbNot ⫭\nbackcong ≌\nbackepsilon ϶\nbackprime \342\200\265\nbacksim ∽\nbacksimeq ⋍\nbarvee ⊽\n"
    "barwed ⌅\nbarwedge ⌅\nbbrk ⎵\nbbrktbrk ⎶\nbcong ≌\nbcy б\nbdquo \342\200\236\nbecaus ∵\nbecause ∵\n"
    "bemptyv ⦰\nbepsi ϶\nbernou ℬ\nbeta β\nbeth ℶ\nbetween ≬\nbfr 𝔟\nbigcap ⋂\nbigcirc ◯\nbigcup ⋃\nbigodot ⨀\n"
    "bigoplus ⨁\nbigotimes ⨂\nbigsqcup ⨆\nbigstar ★\nbigtriangledown ▽\nbigtriangleup △\nbiguplus ⨄\nbigvee ⋁\n"
    "bigwedge ⋀\nbkarow ⤍\nblacklozenge ⧫\nblacksquare ▪\nblacktriangle ▴\nblacktriangledown ▾\n"
    "blacktriangleleft ◂\nblacktriangleright ▸\nblank ␣\nblk12 ▒\nblk14 ░\nblk34 ▓\nblock █\nbne =\342\203\245\n"
    "bnequiv ≡\342\203\245\nbnot ⌐\nbopf 𝕓\nbot ⊥\nbottom ⊥\nbowtie ⋈\nboxDL ╗\nboxDR ╔\nboxDl ╖\nboxDr ╓\n"
    "boxH ═\nboxHD ╦\nboxHU ╩\nboxHd ╤\nboxHu ╧\nboxUL ╝\nboxUR ╚\nboxUl ╜\nboxUr ╙\nboxV ║\nboxVH ╬\nboxVL ╣\n"
    "boxVR ╠\nboxVh ╫\nboxVl ╢\nboxVr ╟\nboxbox ⧉\nboxdL ╕\nboxdR ╒\nboxdl ┐\nboxdr ┌\nboxh ─\nboxhD ╥\nboxhU ╨\n"
    "boxhd ┬\nboxhu ┴\nboxminus ⊟\nboxplus ⊞\nboxtimes ⊠\nboxuL ╛\nboxuR ╘\nboxul ┘\nboxur └\nboxv │\nboxvH ╪\n"
    "boxvL ╡\nboxvR ╞\nboxvh ┼\nboxvl ┤\nboxvr ├\nbprime \342\200\265\nbreve ˘\nbrvbar* ¦\nbscr 𝒷\n"
    "bsemi \342\201\217\nbsim ∽\nbsime ⋍\nbsol \134\nbsolb ⧅\nbsolhsub ⟈\nbull \342\200\242\n"
    "bullet \342\200\242\nbump ≎\nbumpE ⪮\nbumpe ≏\nbumpeq ≏\ncacute ć\ncap ∩\ncapand ⩄\ncapbrcup ⩉\ncapcap ⩋\n"
    "capcup ⩇\ncapdot ⩀\ncaps ∩\357\270\200\ncaret \342\201\201\ncaron ˇ\nccaps ⩍\nccaron č\nccedil* ç\nccirc ĉ\n"
    "ccups ⩌\nccupssm ⩐\ncdot ċ\ncedil* ¸\ncemptyv ⦲\ncent* ¢\ncenterdot ·\ncfr 𝔠\nchcy ч\ncheck ✓\ncheckmark ✓\n"
    "chi χ\ncir ○\ncirE ⧃\ncirc ˆ\ncirceq ≗\ncirclearrowleft ↺\ncirclearrowright ↻\ncircledR ®\ncircledS Ⓢ\n"
    "circledast ⊛\ncircledcirc ⊚\ncircleddash ⊝\ncire ≗\ncirfnint ⨐\ncirmid ⫯\ncirscir ⧂\nclubs ♣\nclubsuit ♣\n"
    "colon :\ncolone ≔\ncoloneq ≔\ncomma ,\ncommat @\ncomp ∁\ncompfn ∘\ncomplement ∁\ncomplexes ℂ\ncong ≅\n"
    "congdot ⩭\nconint ∮\ncopf 𝕔\ncoprod ∐\ncopy* ©\ncopysr ℗\ncrarr ↵\ncross ✗\ncscr 𝒸\ncsub ⫏\ncsube ⫑\n"
    "csup ⫐\ncsupe ⫒\nctdot ⋯\ncudarrl ⤸\ncudarrr ⤵\ncuepr ⋞\ncuesc ⋟\ncularr ↶\ncularrp ⤽\ncup ∪\ncupbrcap ⩈\n"
    "cupcap ⩆\ncupcup ⩊\ncupdot ⊍\ncupor ⩅\ncups ∪\357\270\200\ncurarr ↷\ncurarrm ⤼\ncurlyeqprec ⋞\n"
    "curlyeqsucc ⋟\ncurlyvee ⋎\ncurlywedge ⋏\ncurren* ¤\ncurvearrowleft ↶\ncurvearrowright ↷\ncuvee ⋎\ncuwed ⋏\n"
    "cwconint ∲\ncwint ∱\ncylcty ⌭\ndArr ⇓\ndHar ⥥\ndagger \342\200\240\ndaleth ℸ\ndarr ↓\ndash \342\200\220\n"
    "dashv ⊣\ndbkarow ⤏\ndblac ˝\ndcaron ď\ndcy д\ndd ⅆ\nddagger \342\200\241\nddarr ⇊\nddotseq ⩷\ndeg* °\n"
    "delta δ\ndemptyv ⦱\ndfisht ⥿\ndfr 𝔡\ndharl ⇃\ndharr ⇂\ndiam ⋄\ndiamond ⋄\ndiamondsuit ♦\ndiams ♦\ndie ¨\n"
    "digamma ϝ\ndisin ⋲\ndiv ÷\ndivide* ÷\ndivideontimes ⋇\ndivonx ⋇\ndjcy ђ\ndlcorn ⌞\ndlcrop ⌍\ndollar $\n"
    "dopf 𝕕\ndot ˙\ndoteq ≐\ndoteqdot ≑\ndotminus ∸\ndotplus ∔\ndotsquare ⊡\ndoublebarwedge ⌆\ndownarrow ↓\n"
    "downdownarrows ⇊\ndownharpoonleft ⇃\ndownharpoonright ⇂\ndrbkarow ⤐\ndrcorn ⌟\ndrcrop ⌌\ndscr 𝒹\ndscy ѕ\n"
    "dsol ⧶\ndstrok đ\ndtdot ⋱\ndtri ▿\ndtrif ▾\nduarr ⇵\nduhar ⥯\ndwangle ⦦\ndzcy џ\ndzigrarr ⟿\neDDot ⩷\n"
    "eDot ≑\neacute* é\neaster ⩮\necaron ě\necir ≖\necirc* ê\necolon ≕\necy э\nedot ė\nee ⅇ\nefDot ≒\nefr 𝔢\n"
    "eg ⪚\negrave* è\negs ⪖\negsdot ⪘\nel ⪙\nelinters ⏧\nell ℓ\nels ⪕\nelsdot ⪗\nemacr ē\nempty ∅\nemptyset ∅\n"
    "emptyv ∅\nemsp \342\200\203\nemsp13 \342\200\204\nemsp14 \342\200\205\neng ŋ\nensp \342\200\202\neogon ę\n"
    "eopf 𝕖\nepar ⋕\neparsl ⧣\neplus ⩱\nepsi ε\nepsilon ε\nepsiv ϵ\neqcirc ≖\neqcolon ≕\neqsim ≂\neqslantgtr ⪖\n"
    "eqslantless ⪕\nequals =\nequest ≟\nequiv ≡\nequivDD ⩸\neqvparsl ⧥\nerDot ≓\nerarr ⥱\nescr ℯ\nesdot ≐\n"
    "esim ≂\neta η\neth* ð\neuml* ë\neuro €\nexcl !\nexist ∃\nexpectation ℰ\nexponentiale ⅇ\nfallingdotseq ≒\n"
    "fcy ф\nfemale ♀\nffilig ﬃ\nfflig ﬀ\nffllig ﬄ\nffr 𝔣\nfilig ﬁ\nfjlig fj\nflat ♭\nfllig ﬂ\nfltns ▱\nfnof ƒ\n"
    "fopf 𝕗\nforall ∀\nfork ⋔\nforkv ⫙\nfpartint ⨍\nfrac12* ½\nfrac13 ⅓\nfrac14* ¼\nfrac15 ⅕\nfrac16 ⅙\n"
    "frac18 ⅛\nfrac23 ⅔\nfrac25 ⅖\nfrac34* ¾\nfrac35 ⅗\nfrac38 ⅜\nfrac45 ⅘\nfrac56 ⅚\nfrac58 ⅝\nfrac78 ⅞\n"
    "frasl \342\201\204\nfrown ⌢\nfscr 𝒻\ngE ≧\ngEl ⪌\ngacute ǵ\ngamma γ\ngammad ϝ\ngap ⪆\ngbreve ğ\ngcirc ĝ\n"
    "gcy г\ngdot ġ\nge ≥\ngel ⋛\ngeq ≥\ngeqq ≧\ngeqslant ⩾\nges ⩾\ngescc ⪩\ngesdot ⪀\ngesdoto ⪂\ngesdotol ⪄\n"
    "gesl ⋛\357\270\200\ngesles ⪔\ngfr 𝔤\ngg ≫\nggg ⋙\ngimel ℷ\ngjcy ѓ\ngl ≷\nglE ⪒\ngla ⪥\nglj ⪤\ngnE ≩\n"
    "gnap ⪊\ngnapprox ⪊\ngne ⪈\ngneq ⪈\ngneqq ≩\ngnsim ⋧\ngopf 𝕘\ngrave `\ngscr ℊ\ngsim ≳\ngsime ⪎\ngsiml ⪐\n"
    "gt* >\ngtcc ⪧\ngtcir ⩺\ngtdot ⋗\ngtlPar ⦕\ngtquest ⩼\ngtrapprox ⪆\ngtrarr ⥸\ngtrdot ⋗\ngtreqless ⋛\n"
    "gtreqqless ⪌\ngtrless ≷\ngtrsim ≳\ngvertneqq ≩\357\270\200\ngvnE ≩\357\270\200\nhArr ⇔\n"
    "hairsp \342\200\212\nhalf ½\nhamilt ℋ\nhardcy ъ\nharr ↔\nharrcir ⥈\nharrw ↭\nhbar ℏ\nhcirc ĥ\nhearts ♥\n"
    "heartsuit ♥\nhellip \342\200\246\nhercon ⊹\nhfr 𝔥\nhksearow ⤥\nhkswarow ⤦\nhoarr ⇿\nhomtht ∻\n"
    "hookleftarrow ↩\nhookrightarrow ↪\nhopf 𝕙\nhorbar \342\200\225\nhscr 𝒽\nhslash ℏ\nhstrok ħ\n"
    "hybull \342\201\203\nhyphen \342\200\220\niacute* í\nic \342\201\243\nicirc* î\nicy и\niecy е\niexcl* ¡\n"
    "iff ⇔\nifr 𝔦\nigrave* ì\nii ⅈ\niiiint ⨌\niiint ∭\niinfin ⧜\niiota ℩\nijlig ĳ\nimacr ī\nimage ℑ\nimagline ℐ\n"
    "imagpart ℑ\nimath ı\nimof ⊷\nimped Ƶ\nin ∈\nincare ℅\ninfin ∞\ninfintie ⧝\ninodot ı\nint ∫\nintcal ⊺\n"
    "integers ℤ\nintercal ⊺\nintlarhk ⨗\nintprod ⨼\niocy ё\niogon į\niopf 𝕚\niota ι\niprod ⨼\niquest* ¿\niscr 𝒾\n"
    "isin ∈\nisinE ⋹\nisindot ⋵\nisins ⋴\nisinsv ⋳\nisinv ∈\nit \342\201\242\nitilde ĩ\niukcy і\niuml* ï\n"
    "jcirc ĵ\njcy й\njfr 𝔧\njmath ȷ\njopf 𝕛\njscr 𝒿\njsercy ј\njukcy є\nkappa κ\nkappav ϰ\nkcedil ķ\nkcy к\n"
    "kfr 𝔨\nkgreen ĸ\nkhcy х\nkjcy ќ\nkopf 𝕜\nkscr 𝓀\nlAarr ⇚\nlArr ⇐\nlAtail ⤛\nlBarr ⤎\nlE ≦\nlEg ⪋\nlHar ⥢\n"
    "lacute ĺ\nlaemptyv ⦴\nlagran ℒ\nlambda λ\nlang ⟨\nlangd ⦑\nlangle ⟨\nlap ⪅\nlaquo* «\nlarr ←\nlarrb ⇤\n"
    "larrbfs ⤟\nlarrfs ⤝\nlarrhk ↩\nlarrlp ↫\nlarrpl ⤹\nlarrsim ⥳\nlarrtl ↢\nlat ⪫\nlatail ⤙\nlate ⪭\n"
    "lates ⪭\357\270\200\nlbarr ⤌\nlbbrk ❲\nlbrace {\nlbrack [\nlbrke ⦋\nlbrksld ⦏\nlbrkslu ⦍\nlcaron ľ\n"
    "lcedil ļ\nlceil ⌈\nlcub {\nlcy л\nldca ⤶\nldquo \342\200\234\nldquor \342\200\236\nldrdhar ⥧\nldrushar ⥋\n"
    "ldsh ↲\nle ≤\nleftarrow ←\nleftarrowtail ↢\nleftharpoondown ↽\nleftharpoonup ↼\nleftleftarrows ⇇\n"
    "leftrightarrow ↔\nleftrightarrows ⇆\nleftrightharpoons ⇋\nleftrightsquigarrow ↭\nleftthreetimes ⋋\nleg ⋚\n"
    "leq ≤\nleqq ≦\nleqslant ⩽\nles ⩽\nlescc ⪨\nlesdot ⩿\nlesdoto ⪁\nlesdotor ⪃\nlesg ⋚\357\270\200\nlesges ⪓\n"
    "lessapprox ⪅\nlessdot ⋖\nlesseqgtr ⋚\nlesseqqgtr ⪋\nlessgtr ≶\nlesssim ≲\nlfisht ⥼\nlfloor ⌊\nlfr 𝔩\nlg ≶\n"
    "lgE ⪑\nlhard ↽\nlharu ↼\nlharul ⥪\nlhblk ▄\nljcy љ\nll ≪\nllarr ⇇\nllcorner ⌞\nllhard ⥫\nlltri ◺\nlmidot ŀ\n"
    "lmoust ⎰\nlmoustache ⎰\nlnE ≨\nlnap ⪉\nlnapprox ⪉\nlne ⪇\nlneq ⪇\nlneqq ≨\nlnsim ⋦\nloang ⟬\nloarr ⇽\n"
    "lobrk ⟦\nlongleftarrow ⟵\nlongleftrightarrow ⟷\nlongmapsto ⟼\nlongrightarrow ⟶\nlooparrowleft ↫\n"
    "looparrowright ↬\nlopar ⦅\nlopf 𝕝\nloplus ⨭\nlotimes ⨴\nlowast ∗\nlowbar _\nloz ◊\nlozenge ◊\nlozf ⧫\n"
    "lpar (\nlparlt ⦓\nlrarr ⇆\nlrcorner ⌟\nlrhar ⇋\nlrhard ⥭\nlrm \342\200\216\nlrtri ⊿\nlsaquo \342\200\271\n"
    "lscr 𝓁\nlsh ↰\nlsim ≲\nlsime ⪍\nlsimg ⪏\nlsqb [\nlsquo \342\200\230\nlsquor \342\200\232\nlstrok ł\nlt* <\n"
    "ltcc ⪦\nltcir ⩹\nltdot ⋖\nlthree ⋋\nltimes ⋉\nltlarr ⥶\nltquest ⩻\nltrPar ⦖\nltri ◃\nltrie ⊴\nltrif ◂\n"
    "lurdshar ⥊\nluruhar ⥦\nlvertneqq ≨\357\270\200\nlvnE ≨\357\270\200\nmDDot ∺\nmacr* ¯\nmale ♂\nmalt ✠\n"
    "maltese ✠\nmap ↦\nmapsto ↦\nmapstodown ↧\nmapstoleft ↤\nmapstoup ↥\nmarker ▮\nmcomma ⨩\nmcy м\n"
    "mdash \342\200\224\nmeasuredangle ∡\nmfr 𝔪\nmho ℧\nmicro* µ\nmid ∣\nmidast *\nmidcir ⫰\nmiddot* ·\nminus −\n"
    "minusb ⊟\nminusd ∸\nminusdu ⨪\nmlcp ⫛\nmldr \342\200\246\nmnplus ∓\nmodels ⊧\nmopf 𝕞\nmp ∓\nmscr 𝓂\n"
    "mstpos ∾\nmu μ\nmultimap ⊸\nmumap ⊸\nnGg ⋙\314\270\nnGt ≫\342\203\222\nnGtv ≫\314\270\nnLeftarrow ⇍\n"
    "nLeftrightarrow ⇎\nnLl ⋘\314\270\nnLt ≪\342\203\222\nnLtv ≪\314\270\nnRightarrow ⇏\nnVDash ⊯\nnVdash ⊮\n"
    "nabla ∇\nnacute ń\nnang ∠\342\203\222\nnap ≉\nnapE ⩰\314\270\nnapid ≋\314\270\nnapos ŉ\nnapprox ≉\nnatur ♮\n"
    "natural ♮\nnaturals ℕ\nnbsp* \302\240\nnbump ≎\314\270\nnbumpe ≏\314\270\nncap ⩃\nncaron ň\nncedil ņ\n"
    "ncong ≇\nncongdot ⩭\314\270\nncup ⩂\nncy н\nndash \342\200\223\nne ≠\nneArr ⇗\nnearhk ⤤\nnearr ↗\n"
    "nearrow ↗\nnedot ≐\314\270\nnequiv ≢\nnesear ⤨\nnesim ≂\314\270\nnexist ∄\nnexists ∄\nnfr 𝔫\nngE ≧\314\270\n"
    "nge ≱\nngeq ≱\nngeqq ≧\314\270\nngeqslant ⩾\314\270\nnges ⩾\314\270\nngsim ≵\nngt ≯\nngtr ≯\nnhArr ⇎\n"
    "nharr ↮\nnhpar ⫲\nni ∋\nnis ⋼\nnisd ⋺\nniv ∋\nnjcy њ\nnlArr ⇍\nnlE ≦\314\270\nnlarr ↚\nnldr \342\200\245\n"
    "nle ≰\nnleftarrow ↚\nnleftrightarrow ↮\nnleq ≰\nnleqq ≦\314\270\nnleqslant ⩽\314\270\nnles ⩽\314\270\n"
    "nless ≮\nnlsim ≴\nnlt ≮\nnltri ⋪\nnltrie ⋬\nnmid ∤\nnopf 𝕟\nnot* ¬\nnotin ∉\nnotinE ⋹\314\270\n"
    "notindot ⋵\314\270\nnotinva ∉\nnotinvb ⋷\nnotinvc ⋶\nnotni ∌\nnotniva ∌\nnotnivb ⋾\nnotnivc ⋽\nnpar ∦\n"
    "nparallel ∦\nnparsl ⫽\342\203\245\nnpart ∂\314\270\nnpolint ⨔\nnpr ⊀\nnprcue ⋠\nnpre ⪯\314\270\nnprec ⊀\n"
    "npreceq ⪯\314\270\nnrArr ⇏\nnrarr ↛\nnrarrc ⤳\314\270\nnrarrw ↝\314\270\nnrightarrow ↛\nnrtri ⋫\nnrtrie ⋭\n"
    "nsc ⊁\nnsccue ⋡\nnsce ⪰\314\270\nnscr 𝓃\nnshortmid ∤\nnshortparallel ∦\nnsim ≁\nnsime ≄\nnsimeq ≄\nnsmid ∤\n"
    "nspar ∦\nnsqsube ⋢\nnsqsupe ⋣\nnsub ⊄\nnsubE ⫅\314\270\nnsube ⊈\nnsubset ⊂\342\203\222\nnsubseteq ⊈\n"
    "nsubseteqq ⫅\314\270\nnsucc ⊁\nnsucceq ⪰\314\270\nnsup ⊅\nnsupE ⫆\314\270\nnsupe ⊉\nnsupset ⊃\342\203\222\n"
    "nsupseteq ⊉\nnsupseteqq ⫆\314\270\nntgl ≹\nntilde* ñ\nntlg ≸\nntriangleleft ⋪\nntrianglelefteq ⋬\n"
    "ntriangleright ⋫\nntrianglerighteq ⋭\nnu ν\nnum #\nnumero №\nnumsp \342\200\207\nnvDash ⊭\nnvHarr ⤄\n"
    "nvap ≍\342\203\222\nnvdash ⊬\nnvge ≥\342\203\222\nnvgt >\342\203\222\nnvinfin ⧞\nnvlArr ⤂\n"
    "nvle ≤\342\203\222\nnvlt <\342\203\222\nnvltrie ⊴\342\203\222\nnvrArr ⤃\nnvrtrie ⊵\342\203\222\n"
    "nvsim ∼\342\203\222\nnwArr ⇖\nnwarhk ⤣\nnwarr ↖\nnwarrow ↖\nnwnear ⤧\noS Ⓢ\noacute* ó\noast ⊛\nocir ⊚\n"
    "ocirc* ô\nocy о\nodash ⊝\nodblac ő\nodiv ⨸\nodot ⊙\nodsold ⦼\noelig œ\nofcir ⦿\nofr 𝔬\nogon ˛\nograve* ò\n"
    "ogt ⧁\nohbar ⦵\nohm Ω\noint ∮\nolarr ↺\nolcir ⦾\nolcross ⦻\noline \342\200\276\nolt ⧀\nomacr ō\nomega ω\n"
    "omicron ο\nomid ⦶\nominus ⊖\noopf 𝕠\nopar ⦷\noperp ⦹\noplus ⊕\nor ∨\norarr ↻\nord ⩝\norder ℴ\norderof ℴ\n"
    "ordf* ª\nordm* º\norigof ⊶\noror ⩖\norslope ⩗\norv ⩛\noscr ℴ\noslash* ø\nosol ⊘\notilde* õ\notimes ⊗\n"
    "otimesas ⨶\nouml* ö\novbar ⌽\npar ∥\npara* ¶\nparallel ∥\nparsim ⫳\nparsl ⫽\npart ∂\npcy п\npercnt %\n"
    "period .\npermil \342\200\260\nperp ⊥\npertenk \342\200\261\npfr 𝔭\nphi φ\nphiv ϕ\nphmmat ℳ\nphone ☎\npi π\n"
    "pitchfork ⋔\npiv ϖ\nplanck ℏ\nplanckh ℎ\nplankv ℏ\nplus +\nplusacir ⨣\nplusb ⊞\npluscir ⨢\nplusdo ∔\n"
    "plusdu ⨥\npluse ⩲\nplusmn* ±\nplussim ⨦\nplustwo ⨧\npm ±\npointint ⨕\npopf 𝕡\npound* £\npr ≺\nprE ⪳\n"
    "prap ⪷\nprcue ≼\npre ⪯\nprec ≺\nprecapprox ⪷\npreccurlyeq ≼\npreceq ⪯\nprecnapprox ⪹\nprecneqq ⪵\n"
    "precnsim ⋨\nprecsim ≾\nprime \342\200\262\nprimes ℙ\nprnE ⪵\nprnap ⪹\nprnsim ⋨\nprod ∏\nprofalar ⌮\n"
    "profline ⌒\nprofsurf ⌓\nprop ∝\npropto ∝\nprsim ≾\nprurel ⊰\npscr 𝓅\npsi ψ\npuncsp \342\200\210\nqfr 𝔮\n"
    "qint ⨌\nqopf 𝕢\nqprime \342\201\227\nqscr 𝓆\nquaternions ℍ\nquatint ⨖\nquest ?\nquesteq ≟\nquot* \042\n"
    "rAarr ⇛\nrArr ⇒\nrAtail ⤜\nrBarr ⤏\nrHar ⥤\nrace ∽\314\261\nracute ŕ\nradic √\nraemptyv ⦳\nrang ⟩\nrangd ⦒\n"
    "range ⦥\nrangle ⟩\nraquo* »\nrarr →\nrarrap ⥵\nrarrb ⇥\nrarrbfs ⤠\nrarrc ⤳\nrarrfs ⤞\nrarrhk ↪\nrarrlp ↬\n"
    "rarrpl ⥅\nrarrsim ⥴\nrarrtl ↣\nrarrw ↝\nratail ⤚\nratio ∶\nrationals ℚ\nrbarr ⤍\nrbbrk ❳\nrbrace }\n"
    "rbrack ]\nrbrke ⦌\nrbrksld ⦎\nrbrkslu ⦐\nrcaron ř\nrcedil ŗ\nrceil ⌉\nrcub }\nrcy р\nrdca ⤷\nrdldhar ⥩\n"
    "rdquo \342\200\235\nrdquor \342\200\235\nrdsh ↳\nreal ℜ\nrealine ℛ\nrealpart ℜ\nreals ℝ\nrect ▭\nreg* ®\n"
    "rfisht ⥽\nrfloor ⌋\nrfr 𝔯\nrhard ⇁\nrharu ⇀\nrharul ⥬\nrho ρ\nrhov ϱ\nrightarrow →\nrightarrowtail ↣\n"
    "rightharpoondown ⇁\nrightharpoonup ⇀\nrightleftarrows ⇄\nrightleftharpoons ⇌\nrightrightarrows ⇉\n"
    "rightsquigarrow ↝\nrightthreetimes ⋌\nring ˚\nrisingdotseq ≓\nrlarr ⇄\nrlhar ⇌\nrlm \342\200\217\nrmoust ⎱\n"
    "rmoustache ⎱\nrnmid ⫮\nroang ⟭\nroarr ⇾\nrobrk ⟧\nropar ⦆\nropf 𝕣\nroplus ⨮\nrotimes ⨵\nrpar )\nrpargt ⦔\n"
    "rppolint ⨒\nrrarr ⇉\nrsaquo \342\200\272\nrscr 𝓇\nrsh ↱\nrsqb ]\nrsquo \342\200\231\nrsquor \342\200\231\n"
    "rthree ⋌\nrtimes ⋊\nrtri ▹\nrtrie ⊵\nrtrif ▸\nrtriltri ⧎\nruluhar ⥨\nrx ℞\nsacute ś\nsbquo \342\200\232\n"
    "sc ≻\nscE ⪴\nscap ⪸\nscaron š\nsccue ≽\nsce ⪰\nscedil ş\nscirc ŝ\nscnE ⪶\nscnap ⪺\nscnsim ⋩\nscpolint ⨓\n"
    "scsim ≿\nscy с\nsdot ⋅\nsdotb ⊡\nsdote ⩦\nseArr ⇘\nsearhk ⤥\nsearr ↘\nsearrow ↘\nsect* §\nsemi ;\nseswar ⤩\n"
    "setminus ∖\nsetmn ∖\nsext ✶\nsfr 𝔰\nsfrown ⌢\nsharp ♯\nshchcy щ\nshcy ш\nshortmid ∣\nshortparallel ∥\n"
    "shy* \302\255\nsigma σ\nsigmaf ς\nsigmav ς\nsim ∼\nsimdot ⩪\nsime ≃\nsimeq ≃\nsimg ⪞\nsimgE ⪠\nsiml ⪝\n"
    "simlE ⪟\nsimne ≆\nsimplus ⨤\nsimrarr ⥲\nslarr ←\nsmallsetminus ∖\nsmashp ⨳\nsmeparsl ⧤\nsmid ∣\nsmile ⌣\n"
    "smt ⪪\nsmte ⪬\nsmtes ⪬\357\270\200\nsoftcy ь\nsol /\nsolb ⧄\nsolbar ⌿\nsopf 𝕤\nspades ♠\nspadesuit ♠\n"
    "spar ∥\nsqcap ⊓\nsqcaps ⊓\357\270\200\nsqcup ⊔\nsqcups ⊔\357\270\200\nsqsub ⊏\nsqsube ⊑\nsqsubset ⊏\n"
    "sqsubseteq ⊑\nsqsup ⊐\nsqsupe ⊒\nsqsupset ⊐\nsqsupseteq ⊒\nsqu □\nsquare □\nsquarf ▪\nsquf ▪\nsrarr →\n"
    "sscr 𝓈\nssetmn ∖\nssmile ⌣\nsstarf ⋆\nstar ☆\nstarf ★\nstraightepsilon ϵ\nstraightphi ϕ\nstrns ¯\nsub ⊂\n"
    "subE ⫅\nsubdot ⪽\nsube ⊆\nsubedot ⫃\nsubmult ⫁\nsubnE ⫋\nsubne ⊊\nsubplus ⪿\nsubrarr ⥹\nsubset ⊂\n"
    "subseteq ⊆\nsubseteqq ⫅\nsubsetneq ⊊\nsubsetneqq ⫋\nsubsim ⫇\nsubsub ⫕\nsubsup ⫓\nsucc ≻\nsuccapprox ⪸\n"
    "succcurlyeq ≽\nsucceq ⪰\nsuccnapprox ⪺\nsuccneqq ⪶\nsuccnsim ⋩\nsuccsim ≿\nsum ∑\nsung ♪\nsup ⊃\nsup1* ¹\n"
    "sup2* ²\nsup3* ³\nsupE ⫆\nsupdot ⪾\nsupdsub ⫘\nsupe ⊇\nsupedot ⫄\nsuphsol ⟉\nsuphsub ⫗\nsuplarr ⥻\n"
    "supmult ⫂\nsupnE ⫌\nsupne ⊋\nsupplus ⫀\nsupset ⊃\nsupseteq ⊇\nsupseteqq ⫆\nsupsetneq ⊋\nsupsetneqq ⫌\n"
    "supsim ⫈\nsupsub ⫔\nsupsup ⫖\nswArr ⇙\nswarhk ⤦\nswarr ↙\nswarrow ↙\nswnwar ⤪\nszlig* ß\ntarget ⌖\ntau τ\n"
    "tbrk ⎴\ntcaron ť\ntcedil ţ\ntcy т\ntdot \342\203\233\ntelrec ⌕\ntfr 𝔱\nthere4 ∴\ntherefore ∴\ntheta θ\n"
    "thetasym ϑ\nthetav ϑ\nthickapprox ≈\nthicksim ∼\nthinsp \342\200\211\nthkap ≈\nthksim ∼\nthorn* þ\ntilde ˜\n"
    "times* ×\ntimesb ⊠\ntimesbar ⨱\ntimesd ⨰\ntint ∭\ntoea ⤨\ntop ⊤\ntopbot ⌶\ntopcir ⫱\ntopf 𝕥\ntopfork ⫚\n"
    "tosa ⤩\ntprime \342\200\264\ntrade ™\ntriangle ▵\ntriangledown ▿\ntriangleleft ◃\ntrianglelefteq ⊴\n"
    "triangleq ≜\ntriangleright ▹\ntrianglerighteq ⊵\ntridot ◬\ntrie ≜\ntriminus ⨺\ntriplus ⨹\ntrisb ⧍\n"
    "tritime ⨻\ntrpezium ⏢\ntscr 𝓉\ntscy ц\ntshcy ћ\ntstrok ŧ\ntwixt ≬\ntwoheadleftarrow ↞\ntwoheadrightarrow ↠\n"
    "uArr ⇑\nuHar ⥣\nuacute* ú\nuarr ↑\nubrcy ў\nubreve ŭ\nucirc* û\nucy у\nudarr ⇅\nudblac ű\nudhar ⥮\n"
    "ufisht ⥾\nufr 𝔲\nugrave* ù\nuharl ↿\nuharr ↾\nuhblk ▀\nulcorn ⌜\nulcorner ⌜\nulcrop ⌏\nultri ◸\numacr ū\n"
    "uml* ¨\nuogon ų\nuopf 𝕦\nuparrow ↑\nupdownarrow ↕\nupharpoonleft ↿\nupharpoonright ↾\nuplus ⊎\nupsi υ\n"
    "upsih ϒ\nupsilon υ\nupuparrows ⇈\nurcorn ⌝\nurcorner ⌝\nurcrop ⌎\nuring ů\nurtri ◹\nuscr 𝓊\nutdot ⋰\n"
    "utilde ũ\nutri ▵\nutrif ▴\nuuarr ⇈\nuuml* ü\nuwangle ⦧\nvArr ⇕\nvBar ⫨\nvBarv ⫩\nvDash ⊨\nvangrt ⦜\n"
    "varepsilon ϵ\nvarkappa ϰ\nvarnothing ∅\nvarphi ϕ\nvarpi ϖ\nvarpropto ∝\nvarr ↕\nvarrho ϱ\nvarsigma ς\n"
    "varsubsetneq ⊊\357\270\200\nvarsubsetneqq ⫋\357\270\200\nvarsupsetneq ⊋\357\270\200\n"
    "varsupsetneqq ⫌\357\270\200\nvartheta ϑ\nvartriangleleft ⊲\nvartriangleright ⊳\nvcy в\nvdash ⊢\nvee ∨\n"
    "veebar ⊻\nveeeq ≚\nvellip ⋮\nverbar |\nvert |\nvfr 𝔳\nvltri ⊲\nvnsub ⊂\342\203\222\nvnsup ⊃\342\203\222\n"
    "vopf 𝕧\nvprop ∝\nvrtri ⊳\nvscr 𝓋\nvsubnE ⫋\357\270\200\nvsubne ⊊\357\270\200\nvsupnE ⫌\357\270\200\n"
    "vsupne ⊋\357\270\200\nvzigzag ⦚\nwcirc ŵ\nwedbar ⩟\nwedge ∧\nwedgeq ≙\nweierp ℘\nwfr 𝔴\nwopf 𝕨\nwp ℘\nwr ≀\n"
    "wreath ≀\nwscr 𝓌\nxcap ⋂\nxcirc ◯\nxcup ⋃\nxdtri ▽\nxfr 𝔵\nxhArr ⟺\nxharr ⟷\nxi ξ\nxlArr ⟸\nxlarr ⟵\n"
    "xmap ⟼\nxnis ⋻\nxodot ⨀\nxopf 𝕩\nxoplus ⨁\nxotime ⨂\nxrArr ⟹\nxrarr ⟶\nxscr 𝓍\nxsqcup ⨆\nxuplus ⨄\nxutri △\n"
    "xvee ⋁\nxwedge ⋀\nyacute* ý\nyacy я\nycirc ŷ\nycy ы\nyen* ¥\nyfr 𝔶\nyicy ї\nyopf 𝕪\nyscr 𝓎\nyucy ю\n"
    "yuml* ÿ\nzacute ź\nzcaron ž\nzcy з\nzdot ż\nzeetrf ℨ\nzeta ζ\nzfr 𝔷\nzhcy ж\nzigrarr ⇝\nzopf 𝕫\nzscr 𝓏\n"
    "zwj \342\200\215\nzwnj \342\200\214\n";

enum { NAMES_MAX = 2200, NAME_MAX_LEN = 32, SHORT_MAX = 6 }; /* no name that may lack its semicolon is longer */

static uint32_t starts[NAMES_MAX]; /* of the names, in order; built once */
static size_t count;
static pthread_once_t built = PTHREAD_ONCE_INIT;

static void build(void)
{
    for (const char *p = names; *p; p = strchr(p, '\n') + 1)
        if (*p != '\n') /* else the second half of &NewLine; */
            starts[count++] = (uint32_t)(p - names);
}

/* Compares a name with that of an entry. */
static int compare(struct str name, const char *entry)
{
    size_t len = strcspn(entry, "* ");
    int order = memcmp(name.p, entry, name.len < len ? name.len : len);

    return order ? order : (name.len > len) - (name.len < len);
}

/* What `name` stands for; `bare`: it has no semicolon. */
static bool find_name(struct str name, bool bare, char out[CHARREF_MAX], size_t *len)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *entry = names + starts[middle], *value = strchr(entry, ' ');
        int order = compare(name, entry);

        if (order == 0) {
            if (bare && value[-1] != '*')
                return false;
            *len = strcspn(value + 1, "\n");
            *len = *len ? *len : 1; /* &NewLine; */
            memcpy(out, value + 1, *len);
            return true;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static size_t read_number(struct str s, char out[CHARREF_MAX], size_t *len)
{
    bool hex = s.len > 2 && ascii_lower(s.p[2]) == 'x';
    size_t start = hex ? 3 : 2, i = start;
    uint32_t c = 0;

    for (; i < s.len && (hex ? ascii_hex(s.p[i]) >= 0 : ascii_is_digit(s.p[i])); i++)
        if (c < 0x110000)
            c = c * (hex ? 16 : 10) + (uint32_t)ascii_hex(s.p[i]);
    if (i == start)
        return 0;
    if (c == 0 || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        c = 0xFFFD;
    else if (c < 0x100) /* many pages mean the numbers of Windows' characters (13.2.5.84 of the standard) */
        c = charset_windows_1252((unsigned char)c);
    *len = utf8_encode(c, out);
    return i + (i < s.len && s.p[i] == ';');
}

static bool is_alnum(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c);
}

/* Nearly all references of nearly all pages; they need no search. */
static const struct {
    struct str reference, value;
} common[] = {
#define COMMON(reference, value) {{reference, sizeof reference - 1}, {value, sizeof value - 1}}
    COMMON("&lt;", "<"), COMMON("&gt;", ">"), COMMON("&amp;", "&"), COMMON("&quot;", "\""),
    COMMON("&nbsp;", "\302\240"),
#undef COMMON
};

static size_t read_common(struct str s, char out[CHARREF_MAX], size_t *len)
{
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (s.p[1] == common[i].reference.p[1] && str_starts(s, common[i].reference)) {
            *len = common[i].value.len;
            memcpy(out, common[i].value.p, *len);
            return common[i].reference.len;
        }
    return 0;
}

/* The five of XML and the numbers of characters, with their semicolons. */
static size_t read_xml(struct str s, char out[CHARREF_MAX], size_t *len)
{
    size_t used;

    if (s.p[1] == '#') {
        used = read_number(str_sub(s, 0, s.len < CHARREF_XML_MAX ? s.len : CHARREF_XML_MAX), out, len);
        return used && s.p[used - 1] == ';' && !str_eq((struct str){out, *len}, STR(UTF8_REPLACEMENT)) ? used : 0;
    }
    if (str_starts(s, STR("&apos;"))) {
        *out = '\'';
        *len = 1;
        return 6;
    }
    return str_starts(s, STR("&nbsp;")) ? 0 : read_common(s, out, len);
}

size_t charref_read(struct str s, enum charref_rule rule, char out[CHARREF_MAX], size_t *len)
{
    size_t end = 1, used;

    if (s.len < 3)
        return 0;
    if (rule == CHARREF_XML)
        return read_xml(s, out, len);
    if (s.p[1] == '#')
        return read_number(s, out, len);
    if ((used = read_common(s, out, len)) > 0)
        return used;
    while (end < s.len && end <= NAME_MAX_LEN && is_alnum(s.p[end]))
        end++;
    if (end == 1)
        return 0;
    pthread_once(&built, build);
    if (end < s.len && s.p[end] == ';' && find_name(str_sub(s, 1, end), false, out, len))
        return end + 1;
    if (rule == CHARREF_ATTRIBUTE && end < s.len && s.p[end] == '=')
        return 0;
    for (size_t n = end - 1 < SHORT_MAX ? end - 1 : SHORT_MAX; n >= 2; n--)
        if (find_name(str_sub(s, 1, 1 + n), true, out, len))
            return rule == CHARREF_ATTRIBUTE && 1 + n < end ? 0 : 1 + n;
    return 0;
}

size_t charref_decode(struct str s, enum charref_rule rule, char *out)
{
    size_t n = 0;

    while (s.len) {
        size_t plain = str_find(s, '&'), used, len;

        memcpy(out + n, s.p, plain);
        n += plain;
        s = str_sub(s, plain, s.len);
        if (!s.len)
            break;
        used = charref_read(s, rule, out + n, &len);
        if (!used) {
            out[n] = '&';
            used = len = 1;
        }
        n += len;
        s = str_sub(s, used, s.len);
    }
    return n;
}
