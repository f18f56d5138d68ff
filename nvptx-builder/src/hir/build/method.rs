//! Methods: of scalars, slices and arrays.

use proc_macro2::Span;

use super::{Builder, Expect, ident_text};
use crate::hir::draft::{Expr, Kind, Method};
use crate::hir::infer::{Type, VarKind};
use crate::hir::{CmpOp, FloatTy, IntTy, Ty};

pub(super) fn by_name(name: &str) -> Option<Method> {
    Some(match name {
        "sqrt" => Method::Sqrt,
        "abs" => Method::Abs,
        "min" => Method::Min,
        "max" => Method::Max,
        "clamp" => Method::Clamp,
        "mul_add" => Method::MulAdd,
        "is_nan" => Method::IsNan,
        "is_finite" => Method::IsFinite,
        "is_infinite" => Method::IsInfinite,
        "to_bits" => Method::ToBits,
        "from_bits" => Method::FromBits,
        "wrapping_add" => Method::WrappingAdd,
        "wrapping_sub" => Method::WrappingSub,
        "wrapping_mul" => Method::WrappingMul,
        _ => return None,
    })
}

/// Whether rustc's `ty` has the method.
pub(super) fn has(method: Method, ty: &Ty) -> bool {
    match method {
        Method::Sqrt
        | Method::MulAdd
        | Method::IsNan
        | Method::IsFinite
        | Method::IsInfinite
        | Method::ToBits
        | Method::FromBits => matches!(ty, Ty::Float(_)),
        Method::Abs => match ty {
            Ty::Int(int) => int.signed(),
            ty => matches!(ty, Ty::Float(_)),
        },
        Method::Min | Method::Max | Method::Clamp => ty.is_scalar(),
        Method::WrappingAdd | Method::WrappingSub | Method::WrappingMul => {
            matches!(ty, Ty::Int(_))
        }
    }
}

/// For a message: what a type has.
pub(super) fn known(ty: &Ty) -> &'static str {
    match ty {
        Ty::Float(_) => {
            "`sqrt`, `abs`, `min`, `max`, `clamp`, `mul_add`, `is_nan`, `is_finite`, \
             `is_infinite`, `to_bits` and `from_bits`"
        }
        Ty::Int(int) if int.signed() => {
            "`abs`, `min`, `max`, `clamp`, `wrapping_add`, `wrapping_sub` and `wrapping_mul`"
        }
        Ty::Int(_) => "`min`, `max`, `clamp`, `wrapping_add`, `wrapping_sub` and `wrapping_mul`",
        _ => "`min`, `max` and `clamp`",
    }
}

/// The unsigned integer with a float's bits.
fn bits(ty: &Ty) -> Ty {
    match ty {
        Ty::Float(FloatTy::F64) => Ty::Int(IntTy::U64),
        _ => Ty::Int(IntTy::U32),
    }
}

/// The parameters' types, receiver first.
pub(super) fn parameters(method: Method, ty: &Ty) -> Vec<Ty> {
    let count = match method {
        Method::FromBits => return vec![bits(ty)],
        Method::Sqrt
        | Method::Abs
        | Method::IsNan
        | Method::IsFinite
        | Method::IsInfinite
        | Method::ToBits => 1,
        Method::Min
        | Method::Max
        | Method::WrappingAdd
        | Method::WrappingSub
        | Method::WrappingMul => 2,
        Method::Clamp | Method::MulAdd => 3,
    };
    vec![ty.clone(); count]
}

/// The result's type.
pub(super) fn result(method: Method, ty: &Ty) -> Ty {
    match method {
        Method::IsNan | Method::IsFinite | Method::IsInfinite => Ty::Bool,
        Method::ToBits => bits(ty),
        _ => ty.clone(),
    }
}

impl<'a> Builder<'a> {
    pub(super) fn method_call(&mut self, call: &'a syn::ExprMethodCall) -> Expr {
        let receiver = self.expr(&call.receiver, &Expect::Nothing);
        let ty = self.infer.resolve(&receiver.ty);
        let name = ident_text(&call.method);
        let span = call.method.span();
        match &ty {
            Type::Err | Type::Never => {
                self.arguments(&call.args);
                return Expr::error(span);
            }
            Type::Slice { .. } | Type::SlicePlace { .. } | Type::Array(..) => {
                return self.sequence_method(receiver, &name, call);
            }
            Type::Ref { target, .. } => match self.infer.resolve(target) {
                Type::Array(..) => return self.sequence_method(receiver, &name, call),
                target if !self.infer.is_float(&target) && by_reference(&name) => {
                    self.arguments(&call.args);
                    let message = format!(
                        "`{name}` of a reference compares references: write `(*r).{name}(…)`"
                    );
                    return self.unsupported(span, message);
                }
                _ => {}
            },
            _ => {}
        }
        let receiver = self.read_through(receiver);
        match self.infer.resolve(&receiver.ty) {
            ty if self.infer.unknown(&ty) => {
                self.arguments(&call.args);
                self.invalid(receiver.span, "the type of this must be known here: annotate it")
            }
            ty if self.infer.open(&ty).is_some() => {
                self.open_number_method(receiver, ty, &name, call)
            }
            ty => match self.infer.finish(&ty) {
                Ok(ty) if ty.is_scalar() => self.scalar_method(receiver, &ty, &name, call),
                _ => {
                    self.arguments(&call.args);
                    self.unknown_method(&name, &ty, span)
                }
            },
        }
    }

    /// A method of a number whose type is still open: rustc knows none but those of traits.
    fn open_number_method(
        &mut self,
        receiver: Expr,
        ty: Type,
        name: &str,
        call: &'a syn::ExprMethodCall,
    ) -> Expr {
        let span = call.method.span();
        let integer = self.infer.open(&ty) == Some(VarKind::Integer);
        let method = by_name(name).filter(|_| integer && by_reference(name));
        let Some(method) = method else {
            self.arguments(&call.args);
            if of_a_trait(name) {
                return self.unknown_method(name, &ty, span);
            }
            let number = if integer { "integer" } else { "float" };
            let message = format!(
                "`{name}` needs to know which {number} this is: give it a suffix or annotate it"
            );
            return self.invalid(span, message);
        };
        let count = if method == Method::Clamp { 2 } else { 1 };
        self.finish_method(method, receiver, vec![ty.clone(); count], ty, name, call)
    }

    fn scalar_method(
        &mut self,
        receiver: Expr,
        ty: &Ty,
        name: &str,
        call: &'a syn::ExprMethodCall,
    ) -> Expr {
        let span = call.method.span();
        let method = match by_name(name) {
            Some(Method::FromBits) | None => {
                self.arguments(&call.args);
                return self.unknown_method(name, &Type::from(ty), span);
            }
            Some(method) if !has(method, ty) => {
                self.arguments(&call.args);
                return self.invalid(span, format!("`{ty}` has no method `{name}`"));
            }
            Some(method) => method,
        };
        let parameters = parameters(method, ty).iter().skip(1).map(Type::from).collect();
        let result = Type::from(&result(method, ty));
        self.finish_method(method, receiver, parameters, result, name, call)
    }

    fn finish_method(
        &mut self,
        method: Method,
        receiver: Expr,
        parameters: Vec<Type>,
        result: Type,
        name: &str,
        call: &'a syn::ExprMethodCall,
    ) -> Expr {
        let span = call.method.span();
        if call.turbofish.is_some() {
            self.arguments(&call.args);
            return self.invalid(span, format!("`{name}` has no type arguments"));
        }
        if parameters.len() != call.args.len() {
            self.arguments(&call.args);
            return self.wrong_count(name, parameters.len(), call.args.len(), span);
        }
        let start = receiver.span;
        let mut values = vec![receiver];
        for (argument, ty) in call.args.iter().zip(parameters) {
            let value = self.expr(argument, &Expect::Has(ty.clone()));
            values.push(self.coerce(value, &ty));
        }
        self.method_expr(method, values, result, start, span)
    }

    pub(super) fn method_expr(
        &mut self,
        method: Method,
        values: Vec<Expr>,
        result: Type,
        start: Span,
        name: Span,
    ) -> Expr {
        if values.iter().any(|value| matches!(value.ty, Type::Err)) {
            return Expr::error(start);
        }
        Expr::new(Kind::Method(method, values, name), result, start)
    }

    pub(super) fn wrong_count(
        &mut self,
        name: &str,
        wanted: usize,
        found: usize,
        span: Span,
    ) -> Expr {
        let message = format!("`{name}` takes {wanted} arguments, not {found}");
        self.invalid(span, message)
    }

    fn unknown_method(&mut self, name: &str, ty: &Type, span: Span) -> Expr {
        let message = match name {
            "clone" | "to_owned" => {
                format!("`{name}` is not needed in a kernel: scalars are copied")
            }
            "into" | "try_into" => format!("a kernel has no `{name}`: convert with `as`"),
            "pow" | "powi" => format!("a kernel has no `{name}` yet: multiply instead"),
            _ => match self.infer.finish(ty) {
                Ok(ty) if ty.is_scalar() => {
                    format!("a kernel does not know `{name}` of `{ty}`: it has {}", known(&ty))
                }
                _ => format!("a kernel does not know the method `{name}`"),
            },
        };
        self.unsupported(span, message)
    }

    /// A method of a slice, an array, or a reference to an array.
    fn sequence_method(
        &mut self,
        receiver: Expr,
        name: &str,
        call: &'a syn::ExprMethodCall,
    ) -> Expr {
        let span = call.method.span();
        let start = receiver.span;
        match (name, call.args.len()) {
            ("len" | "is_empty", 0) => {
                let usize_type = Type::Int(IntTy::Usize);
                let Some((base, _)) = self.indexable(receiver, span) else {
                    return Expr::error(start);
                };
                let len = Expr::new(Kind::Len(Box::new(base)), usize_type.clone(), start);
                if name == "len" {
                    return len;
                }
                let zero = Expr::new(Kind::Int(0), usize_type, span);
                let kind = Kind::Compare(CmpOp::Eq, Box::new(len), Box::new(zero));
                Expr::new(kind, Type::Bool, start)
            }
            ("get_unchecked" | "get_unchecked_mut", 1) => {
                let mutable = name == "get_unchecked_mut";
                let argument = super::advice::peel(&call.args[0]);
                if let syn::Expr::Range(_) = argument {
                    let message = "a kernel cannot take a part of a slice: add the offset to the \
                                   index instead";
                    return self.unsupported(span, message);
                }
                let index = self.expr(argument, &Expect::Nothing);
                let index = self.element_index(index);
                if self.unsafe_blocks == 0 {
                    return self.invalid(span, format!("`{name}` needs an `unsafe` block"));
                }
                let Some((base, element)) = self.indexable(receiver, span) else {
                    return Expr::error(start);
                };
                let (base, index) = (Box::new(base), Box::new(index));
                let element =
                    Expr::new(Kind::Index { base, index, checked: false }, element, start);
                if self.in_temporary(&element) {
                    let message = "bind the array with `let` first";
                    return self.unsupported(start, message);
                }
                if mutable && !self.require_mutable(&element) {
                    return Expr::error(start);
                }
                self.element_ref(element, mutable)
            }
            ("len" | "is_empty", found) => {
                self.arguments(&call.args);
                self.wrong_count(name, 0, found, span)
            }
            ("get_unchecked" | "get_unchecked_mut", found) => {
                self.arguments(&call.args);
                self.wrong_count(name, 1, found, span)
            }
            _ => {
                // Closures among the arguments would only repeat the error.
                let message = sequence_advice(name);
                self.unsupported(span, message)
            }
        }
    }
}

fn sequence_advice(name: &str) -> String {
    match name {
        "iter" | "iter_mut" | "into_iter" | "chunks" | "chunks_exact" | "windows" => {
            format!("a kernel has no iterators, and so no `{name}`: write `for i in 0..x.len()`")
        }
        "get" | "get_mut" => {
            format!("a kernel has no `{name}`: write `if i < x.len()` and `x[i]`")
        }
        "first" | "last" => format!("a kernel has no `{name}`: write `x[0]` or `x[x.len() - 1]`"),
        "swap" => "a kernel has no `swap`: write `let t = x[i]; x[i] = x[j]; x[j] = t;`".into(),
        "fill" => "a kernel has no `fill`: write `for i in 0..x.len() { x[i] = value; }`".into(),
        "copy_from_slice" | "clone_from_slice" => {
            format!("a kernel has no `{name}`: copy the elements in a loop")
        }
        "as_ptr" | "as_mut_ptr" => {
            format!("a kernel has no raw pointers, and so no `{name}`: index the slice")
        }
        "split_at" | "split_at_mut" => {
            format!("a kernel has no `{name}`: add the offset to the index instead")
        }
        _ => format!(
            "a kernel does not know `{name}` of a slice or an array: it has `len`, `is_empty`, \
             `get_unchecked` and `get_unchecked_mut`"
        ),
    }
}

/// The methods of `Ord`, which a reference to an integer has of its own.
fn by_reference(name: &str) -> bool {
    matches!(name, "min" | "max" | "clamp")
}

/// Methods that rustc finds on a number of unknown type, because a trait in scope has them.
fn of_a_trait(name: &str) -> bool {
    matches!(
        name,
        "clone"
            | "to_owned"
            | "into"
            | "try_into"
            | "to_string"
            | "cmp"
            | "partial_cmp"
            | "eq"
            | "ne"
            | "lt"
            | "le"
            | "gt"
            | "ge"
            | "borrow"
            | "as_ref"
    )
}
