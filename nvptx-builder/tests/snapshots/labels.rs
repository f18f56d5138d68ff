fn labels(x: &[i32], out: &mut [i32]) {
    let mut sum = 0;
    'rows: for r in 0..x.len() {
        let mut c = 0;
        loop {
            c += 1;
            if c > 10 {
                continue 'rows;
            }
            if x[r] == c {
                break 'rows;
            }
            if x[r] < 0 {
                break;
            }
            sum += c;
        }
        sum -= 1;
    }
    let found = loop {
        sum += 1;
        if sum % 13 == 0 {
            break sum;
        }
    };
    let picked = 'pick: {
        if found > 3 {
            break 'pick 1;
        }
        if found < -3 {
            break 'pick 2;
        }
        3
    };
    out[0] = picked + found;
}
