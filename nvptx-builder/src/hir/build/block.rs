//! Blocks: a scope, its statements, and its value.

use proc_macro2::Span;

use super::coerce::Merge;
use super::{Builder, Expect};
use crate::hir::draft::{Block, Expr, Stmt};
use crate::hir::infer::Type;

/// A block whose value has not met its type yet.
pub(super) struct Contents {
    stmts: Vec<Stmt>,
    result: Option<Expr>,
    span: Span,
    /// Of the closing brace, where a missing value is missing.
    end: Span,
}

impl<'a> Builder<'a> {
    /// The kernel's body.
    pub(super) fn body(&mut self, block: &'a syn::Block) -> Block {
        let expected = Expect::Has(self.returns.clone());
        self.block(block, &expected)
    }

    pub(super) fn block(&mut self, block: &'a syn::Block, expected: &Expect) -> Block {
        let mut value = Merge::new(expected.only(), &mut self.infer);
        self.block_into(block, expected, &mut value)
    }

    /// A block whose value joins others.
    pub(super) fn block_into(
        &mut self,
        block: &'a syn::Block,
        expected: &Expect,
        values: &mut Merge,
    ) -> Block {
        let contents = self.block_contents(block, expected);
        self.close_block(contents, values)
    }

    pub(super) fn close_block(&mut self, contents: Contents, values: &mut Merge) -> Block {
        let Contents { stmts, result, span, end } = contents;
        let never = match &result {
            Some(result) => matches!(self.infer.resolve(&result.ty), Type::Never),
            None => self.diverges,
        };
        let result = match result {
            Some(result) => Some(Box::new(values.push(result, self))),
            None => {
                if !self.diverges {
                    values.push(Expr::unit(end), self);
                }
                None
            }
        };
        let ty = if never { Type::Never } else { values.hint().clone() };
        Block { stmts, result, ty, span }
    }

    pub(super) fn block_contents(&mut self, block: &'a syn::Block, expected: &Expect) -> Contents {
        self.scopes.open();
        self.declare_items(&block.stmts);
        let mut stmts = Vec::new();
        let mut result = None;
        let last = block.stmts.len().saturating_sub(1);
        for (at, stmt) in block.stmts.iter().enumerate() {
            match stmt {
                syn::Stmt::Expr(expr, None) if at == last => {
                    result = Some(self.expr(expr, expected));
                }
                syn::Stmt::Expr(expr, semicolon) => {
                    let expr = match semicolon {
                        Some(_) => self.expr(expr, &Expect::Nothing),
                        None => {
                            let expr = self.expr(expr, &Expect::Has(Type::Unit));
                            self.coerce(expr, &Type::Unit)
                        }
                    };
                    stmts.push(Stmt::Expr(expr));
                }
                syn::Stmt::Local(local) => stmts.extend(self.let_stmt(local)),
                syn::Stmt::Macro(stmt) => {
                    let error = self.macro_call(&stmt.mac);
                    if at == last && stmt.semi_token.is_none() {
                        result = Some(error);
                    }
                }
                // Declared before the first statement.
                syn::Stmt::Item(_) => {}
            }
        }
        self.scopes.close();
        let span = block.brace_token.span.join();
        Contents { stmts, result, span, end: block.brace_token.span.close() }
    }
}
